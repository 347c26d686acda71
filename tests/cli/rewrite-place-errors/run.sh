# SPDX-License-Identifier: Apache-2.0
# Status 1: requests that cannot be met are one line each, and nothing is written.
. "$HELPERS/tree.sh"
tree_make tree
try() {
    "$TOOL" tree -p tree-build --out out "$@"
    echo "status $?"
}
try --place Item=5000
try --place Item=lokal
try --place Item
try --place Item=1 --place Item=2
try --place 'db::*=1'
try --place 'It*=1' --place '*em=2'
try --root List=owner
ls
