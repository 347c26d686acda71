# SPDX-License-Identifier: Apache-2.0
# Any number of jobs gives the same bytes, the same report and the same messages.
. "$HELPERS/tree.sh"
tree_make tree
tree_break tree
for jobs in 1 2 7; do
    "$TOOL" tree -p tree-build --out out --place Item=1 -j $jobs --report report.$jobs >stdout.$jobs 2>stderr.$jobs
    tree_list out >list.$jobs
    rm -r out
done
for jobs in 2 7; do
    for what in list report stdout stderr; do
        cmp $what.1 $what.$jobs && echo same
    done
done
