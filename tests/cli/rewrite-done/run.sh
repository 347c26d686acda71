# SPDX-License-Identifier: Apache-2.0
# Status 0: done; the out tree has everything, only the two files with sites differ; the manifest is there.
. "$HELPERS/tree.sh"
tree_make tree
"$TOOL" tree -p tree-build --out out --place Item=1 >/dev/null
echo "status $?"
diff -rq tree out
ls out/.numafy/manifest.json
sed -n 's/.*\(::new.*\)/\1/p' out/src/list.cpp out/src/main.cpp
