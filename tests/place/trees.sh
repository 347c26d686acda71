# SPDX-License-Identifier: Apache-2.0
# A rewritten tree of C and C++ with `--place Account=1`: the accounts, and what C code appends to them, its entries and
# their texts, are on node 1 by the kernel. The control moves the pool to another node.
stage=$PLACE_STAGE/trees
checks=0
failed=0
echo 1..4

check() { # check WHAT STATUS: 0 is ok
    checks=$((checks + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $checks - $1"
    else
        echo "not ok $checks - $1"
        sed 's/^/# /' out err
        failed=1
    fi
}

blocks() { # blocks FIELD: of all recorded blocks; 1 of node 1, 2 in its pool, 3 on it by the kernel
    sed -n 's/^record_news: .* for node 1: \([0-9]*\), \([0-9]*\) in its pool, \([0-9]*\) on it .*/\1 \2 \3/p' err |
        awk -v field="$1" '{ sum += $field } END { print sum + 0 }'
}

NUMAFY_QUIET=1 LD_PRELOAD=$stage/record_news.so "$stage/check" >out 2>err
check 'the tree tests itself' $?
grep -q '^3 accounts on node 1$' out
check 'its three accounts are on node 1 by address' $?
# Three accounts, five entries, five texts.
[ "$(blocks 1)" -ge 13 ] && [ "$(blocks 2)" -eq "$(blocks 1)" ] && [ "$(blocks 3)" -eq "$(blocks 1)" ]
check 'accounts, entries and texts are on node 1 by move_pages' $?
NUMAFY_NODEMAP=1:0 NUMAFY_QUIET=1 LD_PRELOAD=$stage/record_news.so "$stage/check" >out 2>err
[ "$(blocks 1)" -ge 13 ] && [ "$(blocks 3)" -eq 0 ]
check 'control: the pool of node 1 on node 0 is found to be elsewhere' $?
exit "$failed"
