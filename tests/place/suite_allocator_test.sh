# SPDX-License-Identifier: Apache-2.0
# The allocator's own suite on four nodes: of a million live objects on all four nodes, allocated in turn by one thread
# and by eight that free each other's, and of a million plain blocks, none is wrong, by address and by the kernel, and
# no plain page has a policy. verify_allocator decides (exit status 2: something is wrong); the JSON shows that it looked
# at what it should. The controls do one thing wrongly each and must be found, by the half of the check that is for it.
stage=$PLACE_STAGE/suite_allocator_test
million=1000000
checks=0
failed=0

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

run() { # run PROGRAM ARGUMENT...: leaves out, err, json; returns the status
    program=$1
    shift
    rm -f json
    "$stage/$program" --json json "$@" >out 2>err
}

verify() { # verify VARIANT ARGUMENT...
    variant=$1
    shift
    run "$variant-verify_allocator" --times=no "$@"
}

# sum CHECK KIND NODES MEMBER: a member, summed over the JSON's lines of a kind on nodes (patterns) in one check (1 to 4)
sum() {
    awk -v check="$1" '/^  \{"name": / { n++ } n == check' json |
        sed -n "s/.*\"kind\": \"$2\", \"node\": $3,.*\"$4\": \([0-9]*\).*/\1/p" |
        awk '{ sum += $1 } END { print sum + 0 }'
}

of_check() { # of_check CHECK MEMBER: a member of the check itself
    awk -v check="$1" '/^  \{"name": / && ++n == check' json | sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p"
}

# Twice a quarter of the million on every node, all there by both, and nothing unknown.
on_all_nodes() { # on_all_nodes CHECK
    for node in 0 1 2 3; do
        objects=$(sum "$1" placed $node objects)
        [ "$objects" -ge $((million / 2)) ] && [ "$(sum "$1" placed $node by_address_ok)" -eq "$objects" ] &&
            [ "$(sum "$1" placed $node resident_ok)" -eq "$objects" ] || return 1
    done
    [ "$(of_check "$1" wrong)" -eq 0 ]
}

# All plain objects in no pool, none on a page with a policy.
plain_unbound() { # plain_unbound CHECK LEAST
    objects=$(sum "$1" plain -1 objects)
    [ "$objects" -ge "$2" ] && [ "$(sum "$1" plain -1 by_address_ok)" -eq "$objects" ] &&
        [ "$(of_check "$1" bound)" -eq 0 ] && [ "$(of_check "$1" policy_unknown)" -eq 0 ]
}

# Where every mapping gets huge pages, 2 MiB are on the node of the thread that touches the first byte of them.
thp=/sys/kernel/mm/transparent_hugepage/enabled
before=$(sed 's/.*\[\(.*\)\].*/\1/' $thp)
echo madvise >$thp

echo 1..15
verify umf1 --objects=$million
check 'no object of any check is wrong' $?
on_all_nodes 1
check 'a million objects of one thread, nodes in turn, and a million again: by address and by move_pages' $?
plain_unbound 2 $((2 * million))
check 'two million plain blocks of a thread that uses every node: in no pool and without a policy' $?
[ "$(sum 2 plain -1 resident_ok)" -eq "$(sum 2 plain -1 objects)" ]
check 'their pages follow the first touch' $?
on_all_nodes 3
check 'a million objects of eight threads that free each other'\''s: by address and by move_pages' $?
plain_unbound 3 $((million / 10))
check 'plain blocks of the eight threads: in no pool and without a policy' $?

verify umf1 --objects=10000 --control=pages
[ $? -eq 2 ] && [ "$(of_check 1 wrong)" -gt 0 ] && [ "$(of_check 3 wrong)" -gt 0 ] &&
    [ "$(sum 1 placed 0 by_address_ok)" -eq "$(sum 1 placed 0 objects)" ] &&
    [ "$(sum 1 placed 0 resident_ok)" -lt "$(sum 1 placed 0 objects)" ]
check 'control: pages moved behind the pool'\''s back are found by the kernel alone' $?
verify umf1 --objects=10000 --control=node
[ $? -eq 2 ] && [ "$(sum 1 placed '[0-3]' by_address_ok)" -lt "$(sum 1 placed '[0-3]' objects)" ] &&
    [ "$(sum 3 placed '[0-3]' resident_ok)" -lt "$(sum 3 placed '[0-3]' objects)" ]
check 'control: objects on another node are found by address and by the kernel' $?
verify umf1 --objects=10000 --control=bound
[ $? -eq 2 ] && [ "$(of_check 2 bound)" -gt 0 ]
check 'control: plain blocks on bound pages are found' $?
verify umf1 --objects=20000 --control=tcache
[ $? -eq 2 ] && [ "$(of_check 2 bound)" -gt 0 ] && [ "$(sum 2 plain -1 by_address_ok)" -lt "$(sum 2 plain -1 objects)" ]
check 'control: frees through jemalloc'\''s automatic cache are found' $?

verify umf0 --objects=2000
[ $? -eq 0 ] && [ "$(sum 1 placed '[0-3]' resident_ok)" -ge 4000 ]
check 'over numa_alloc_onnode no object is wrong' $?
verify rewritten --objects=20000 --owners
[ $? -eq 0 ] && [ "$(sum 4 '.*' '[01]' resident_ok)" -ge 20000 ]
check 'rewritten, what placed objects allocate is on their node by move_pages' $?
verify umf1 --objects=20000 --owners
[ $? -eq 2 ] && [ "$(of_check 4 wrong)" -ge 20000 ]
check 'control: not rewritten it is not' $?

known() { # known ALLOCATOR: objects of its rows that the kernel has named a node for
    sed -n "s/.*\"allocator\": \"$1\".*\"looked_at\": \([0-9]*\), \"wrong\": 0, \"unknown\": 0.*/\1/p" json |
        awk '{ sum += $1 } END { print sum + 0 }'
}
run umf1-throughput_compare --threads=1,4 --repeats=1 -s 0.001 --node=3
[ $? -eq 0 ] && [ "$(known numa)" -ge 10000 ] && [ "$(known by_node)" -ge 10000 ] && [ "$(known numa_alloc_onnode)" -ge 500 ]
check 'what throughput_compare has timed on node 3 is there by move_pages' $?
run umf1-throughput_compare --threads=1 --repeats=1 -s 0.001 --node=3 --control=node
[ $? -eq 2 ] && [ "$(known numa)" -eq 0 ]
check 'control: timed on another node it is found' $?
echo "$before" >$thp
exit $failed
