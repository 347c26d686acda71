# SPDX-License-Identifier: Apache-2.0
# Status 6: the out tree cannot be written: one line, nothing half written. (Root may write everywhere, so the obstacles are
# a file where a folder should be, and file systems that take no folder.)
. "$HELPERS/tree.sh"
tree_make tree
try() {
    "$TOOL" tree -p tree-build --out "$1" --place Item=1 >/dev/null
    echo "status $?"
}
: >file
try file
try file/out
try /proc/out
try /sys/out
ls
wc -c file
