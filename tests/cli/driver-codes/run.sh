# SPDX-License-Identifier: Apache-2.0
# P81: The driver ends with the rewriter's status; 7, 4 and 70 have cases of their own.
. "$HELPERS/tree.sh"
tree_make tree
export NUMAFY_REWRITE="$TOOL"
numafy() {
    "$PYTHON" "$ROOT/scripts/numafy.py" tree -p tree-build "$@" >output 2>errors
    echo "status $?"
    grep '^numafy' errors | grep -v 'compile database\|rewriting'
}
numafy
numafy --place Item=1 --check
numafy --place Itme=1
numafy --place Item=1 --out tree/out
: >file
numafy --place Item=1 --out file/out
cat >>tree/src/main.cpp <<'END'
#define MAKE new Item{3, nullptr}
Item *make();
Item *make()
{
    return MAKE;
}
END
numafy --place Item=1 --strict
tree_break tree
numafy --place Item=1 --strict
ls
