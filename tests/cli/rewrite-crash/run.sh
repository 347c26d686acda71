# SPDX-License-Identifier: Apache-2.0
# The parser dies on one unit: its file is copied unchanged and named, the others are done. The next run parses it again.
. "$HELPERS/tree.sh"
tree_make tree
sleep 0.1
NUMAFY_TEST_CRASH_UNIT=list.cpp "$TOOL" tree -p tree-build --out out --place Item=1 >/dev/null
echo "status $?"
cmp tree/src/list.cpp out/src/list.cpp && grep -c 'numafy' out/src/main.cpp
"$TOOL" tree -p tree-build --out out --place Item=1 >/dev/null
echo "status $?"
