# SPDX-License-Identifier: Apache-2.0
# Status 70: our own fault is one line that asks for a report, and nothing half written.
. "$HELPERS/tree.sh"
tree_make tree
echo 'no fault hook known yet'
exit 77
