# SPDX-License-Identifier: Apache-2.0
# Status 5: --check says that there would be changes, and writes nothing.
. "$HELPERS/tree.sh"
tree_make tree
"$TOOL" tree -p tree-build --check --place Item=1 >/dev/null
echo "status $?"
ls
