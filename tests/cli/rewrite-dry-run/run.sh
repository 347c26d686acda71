# SPDX-License-Identifier: Apache-2.0
# Status 0 for a dry run: without --out nothing is written, the summary says what would be.
. "$HELPERS/tree.sh"
tree_make tree
tree_list . >before
"$TOOL" tree -p tree-build --place Item=1
echo "status $?"
tree_list . >after
diff before after | grep -v ' ./after$'
