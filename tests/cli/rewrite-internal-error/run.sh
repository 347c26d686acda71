# SPDX-License-Identifier: Apache-2.0
# Status 70: what is not the user's input, here a missing folder for temporary files. One line, nothing is written.
. "$HELPERS/tree.sh"
tree_make tree
TMPDIR=$WORK/nowhere "$TOOL" tree -p tree-build --out out --place Item=1
status=$?
ls
exit $status
