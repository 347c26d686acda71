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

echo 1..5
for node in 0 1 2 3; do
    "$bench" --verify --node $node --peers numafy,tcache_none,numa_alloc_onnode >out 2>&1
    status=$?
    # Every line must say that the kernel named a node for every block: an unknown one is no proof.
    [ "$(grep -c '0 by the kernel (0 not known)' out)" -eq 18 ] || status=1
    report "no block lost or on a wrong node: node $node" $status out
done
NUMAFY_NODEMAP=0:1 "$bench" --verify --node 0 --peers numafy >out 2>&1
[ $? -eq 1 ] && grep -q ' 3000 by the kernel' out
report 'control: pools on another node are seen' $? out
exit $failed
