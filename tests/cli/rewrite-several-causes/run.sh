# SPDX-License-Identifier: Apache-2.0
# Several causes: the worst decides. 6 before 4 before 2 before 3 before 5.
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
try() {
    "$TOOL" tree -p tree-build --place Item=1 "$@" >/dev/null 2>&1
    echo "status $?"
}
try --check
try --check --strict
tree_break tree
try --check --strict
: >file
try --strict --out file/out
