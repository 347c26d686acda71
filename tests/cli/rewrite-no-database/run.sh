# SPDX-License-Identifier: Apache-2.0
# Status 1: no compile database, or one that is none; the line says where it was looked for and what to do.
. "$HELPERS/tree.sh"
tree_make tree
try() {
    "$TOOL" tree "$@" --out out --place Item=1
    echo "status $?"
}
try -p nowhere
rm tree-build/compile_commands.json
try -p tree-build
echo 'not json' >tree-build/compile_commands.json
try -p tree-build
echo '{}' >tree-build/compile_commands.json
try -p tree-build
ls
