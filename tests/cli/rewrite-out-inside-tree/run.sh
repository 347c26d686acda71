# SPDX-License-Identifier: Apache-2.0
# Status 1: the out tree may not be in the tree, nor the tree in it, nor be the tree, by whatever path.
. "$HELPERS/tree.sh"
tree_make tree
ln -s tree link
try() {
    "$TOOL" "$1" -p tree-build --out "$2" --place Item=1
    echo "status $?"
}
try tree tree/out
try tree tree
try tree .
try link tree/src/../out
try tree link/out
tree_list tree | wc -l
ls
