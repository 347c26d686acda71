# SPDX-License-Identifier: Apache-2.0
# Status 0 when there is nothing to do: without root or placement the out tree is the tree.
. "$HELPERS/tree.sh"
tree_make tree
"$TOOL" tree -p tree-build --out out >/dev/null
echo "status $?"
tree_list tree >before
tree_list out | cmp - before && echo same
"$TOOL" tree -p tree-build --check >/dev/null
echo "status $?"
