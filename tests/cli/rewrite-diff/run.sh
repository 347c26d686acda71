# SPDX-License-Identifier: Apache-2.0
# --diff prints a unified diff that patch(1) turns into the out tree, and writes nothing.
. "$HELPERS/tree.sh"
tree_make tree
"$TOOL" tree -p tree-build --place Item=1 --diff >changes
echo "status $?"
ls
grep '^[-+]' changes
"$TOOL" tree -p tree-build --place Item=1 --out out >/dev/null
command -v patch >/dev/null || { echo 'no patch(1)'; exit 77; }
sed -n '/^--- /,$p' changes >only-changes
(cd tree && patch -s -p1 <../only-changes)
diff -r -x .numafy tree out && echo same
