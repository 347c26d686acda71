# SPDX-License-Identifier: Apache-2.0
# Is the guest the machine that the other tests believe to be on?
node=/sys/devices/system/node
checks=0

is() { # is WHAT GOT EXPECTED
    checks=$((checks + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $checks - $1"
    else
        echo "not ok $checks - $1"
        echo "# expected '$3', got '$2'"
        failed=1
    fi
}

echo 1..7
failed=0
is 'four nodes are online' "$(cat $node/online)" 0-3
is 'nodes 0 and 1 have CPUs' "$(cat $node/has_cpu)" 0-1
is 'all nodes have memory' "$(cat $node/has_memory)" 0-3
is 'one CPU on each of nodes 0 and 1' "$(cat $node/node0/cpulist) $(cat $node/node1/cpulist)" '0 1'
is 'node 2 belongs to node 0, node 3 to node 1' \
    "$(cat $node/node2/distance)/$(cat $node/node3/distance)" '17 28 10 28/28 17 28 10'
is 'the kernel does not move pages by itself' "$(cat /proc/sys/kernel/numa_balancing)" 0
# Pools of huge pages are per node, so this memory is node 3's own.
echo 4 >$node/node3/hugepages/hugepages-2048kB/nr_hugepages
is 'node 3 gives huge pages' "$(cat $node/node3/hugepages/hugepages-2048kB/nr_hugepages)" 4
echo 0 >$node/node3/hugepages/hugepages-2048kB/nr_hugepages
exit $failed
