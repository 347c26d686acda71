# SPDX-License-Identifier: Apache-2.0
# Status 1: a type that the tree does not have; the nearest names are offered, nothing is written.
. "$HELPERS/tree.sh"
tree_make tree
"$TOOL" tree -p tree-build --out out --place Itme=1
echo "status $?"
"$TOOL" tree -p tree-build --out out --place Lisst=0 --place Item=1
echo "status $?"
"$TOOL" tree -p tree-build --out out --place Zqxjkvbw=0
echo "status $?"
ls
