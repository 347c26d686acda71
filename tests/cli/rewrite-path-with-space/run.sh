# SPDX-License-Identifier: Apache-2.0
# O21: A tree, a build folder and an out tree whose paths have spaces, quotes and dollar signs; LANG=C; no terminal.
. "$HELPERS/tree.sh"
odd='a tree, it'"'"'s $HOME'
mkdir -p "$odd"
tree_make "$odd"
env -i PATH="$PATH" LANG=C "$TOOL" "$odd" -p "$odd-build" --out "out of $odd" --place Item=1 --report 'the report' >/dev/null
echo "status $?"
grep -c 'near.h' "out of $odd/src/list.cpp"
