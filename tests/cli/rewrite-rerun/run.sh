# SPDX-License-Identifier: Apache-2.0
# P72: A run into an out tree of an earlier run: the same bytes for the same input, a changed file follows, a file that is
# gone from the tree is gone from the out tree, and a file that somebody changed in the out tree is not lost silently.
. "$HELPERS/tree.sh"
tree_make tree
run() {
    "$TOOL" tree -p tree-build --out out --place Item=1 >/dev/null
    echo "status $?"
}
run
tree_list out >1
run
tree_list out | cmp - 1 && echo same
sed -i 's/value, head/value + 1, head/' tree/src/list.cpp
run
grep -c 'value + 1, head' out/src/list.cpp
