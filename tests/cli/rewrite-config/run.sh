# SPDX-License-Identifier: Apache-2.0
# numafy.json at the root of the tree stands for options; the command line wins; mistakes have a place.
. "$HELPERS/tree.sh"
tree_make tree
config() {
    printf '%b' "$1" >tree/numafy.json
    "$TOOL" tree -p tree-build --diff 2>errors | grep '^+.*::new'
    grep '^numafy' errors
}
config '{"place": {"Item": "1"}}\n'
config '{"place": {"It*": 2}}\n'
"$TOOL" tree -p tree-build --out out >/dev/null
echo "status $?"
cmp tree/numafy.json out/numafy.json && echo copied
"$TOOL" tree -p tree-build --diff --place '*=3' 2>/dev/null | grep '^+.*::new'
config '{\n  "places": {"Item": "1"}\n}\n'
config '{\n  "place": {\n    "Item": [1]\n  }\n}\n'
config '{"place": ["Item"]}'
config '{"place": {"Item": "1"},\n'
config '{"place": {"Item": "1"}}}\n'
config '{"place": {\n  "Itme": "1"}}\n'
config '{"place": {\n  "Item": "1000000"}}\n'
config '[]\n'
config ''
