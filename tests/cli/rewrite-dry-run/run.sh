# SPDX-License-Identifier: Apache-2.0
# Status 0 for a dry run: without --out nothing is written, the summary says what would be.
. "$HELPERS/tree.sh"
tree_make tree
before=$(tree_list .)
"$TOOL" tree -p tree-build --place Item=1 --no-cache
echo "status $?"
[ "$before" = "$(tree_list .)" ] && echo 'nothing was written'
