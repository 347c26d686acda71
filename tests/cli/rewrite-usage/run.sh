# SPDX-License-Identifier: Apache-2.0
# Status 1: wrong command lines, one line each, nothing is written.
. "$HELPERS/tree.sh"
tree_make tree
try() {
    "$TOOL" "$@"
    echo "status $?"
}
try
try tree -p tree-build --no-such-option
try tree -p tree-build --place
try tree -p tree-build --place Item --out out
try tree -p tree-build --place Item=x --out out
try tree -p tree-build -j 0 --out out
try no-such-tree -p tree-build --out out
try tree/README -p tree-build --out out
ls
