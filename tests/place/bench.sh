# SPDX-License-Identifier: Apache-2.0
# The benchmark's own check on every node, by the kernel's answer, and that it can fail: with the
# pools moved behind its back every block is on another node than it asked for.
bench=$PLACE_BUILD/bin/bench_alloc
checks=0 failed=0

report() { # report NAME STATUS OUTPUT-FILE
    checks=$((checks + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $checks - $1"
    else
        echo "not ok $checks - $1"
        sed 's/^/# /' "$3"
        failed=1
    fi
}

verify() { # verify NODE CELLS OPTION...: all well, and the kernel has named a node for every block
    node=$1 cells=$2
    shift 2
    "$bench" --verify --node "$node" "$@" >out 2>&1 &&
        [ "$(grep -c '0 by the kernel (0 not known)' out)" -eq "$cells" ]
}

echo 1..6
for node in 0 1 2 3; do
    verify $node 4 --peers numafy,tcache_none --patterns random --threads 1,2
    report "no block lost or on a wrong node: node $node" $? out
done
# A mapping per object: a second for a thousand of them.
verify 3 1 --peers numa_alloc_onnode --patterns random --threads 1
report 'no block lost or on a wrong node: numa_alloc_onnode on node 3' $? out
NUMAFY_NODEMAP=0:1 "$bench" --verify --peers numafy --patterns random >out 2>&1
[ $? -eq 1 ] && grep -q ' 3000 by the kernel' out
report 'control: pools on another node are seen' $? out
exit $failed
