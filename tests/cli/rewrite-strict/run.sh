# SPDX-License-Identifier: Apache-2.0
# Status 3: --strict, and something was left. The tree is written all the same.
. "$HELPERS/tree.sh"
tree_make tree
cat >>tree/src/main.cpp <<'END'
#define MAKE new Item{3, nullptr}
Item *make();
Item *make()
{
    return MAKE;
}
END
"$TOOL" tree -p tree-build --out out --place Item=1 >/dev/null 2>&1
echo "status $?"
"$TOOL" tree -p tree-build --out out2 --place Item=1 --strict >/dev/null
echo "status $?"
tree_list out >1
tree_list out2 | cmp - 1 && echo same
