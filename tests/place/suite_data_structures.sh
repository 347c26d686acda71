# SPDX-License-Identifier: Apache-2.0
# The data structure suite on four nodes: every object of the rewritten program is on its node, by address and by the
# kernel, after a million inserts and removes by threads of both nodes, on nodes 0 and 1 and, mapped, on 2 and 3; the
# plain heap of the same threads stays unbound. The program's own verification decides (exit status 2: something is
# wrong), and the JSON shows that it looked at what it should. The control: the suite that was not rewritten must be
# found wrong.
stage=$PLACE_STAGE/suite_data_structures
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
    "$stage/$program-suite" --num_threads=2 --num_DS=8 --verify --json json "$@" >out 2>err
}

total() { # total KIND MEMBER: the sum of a member over the JSON's lines of a kind; `.*` for all kinds on a node
    sed -n "s/.*\"kind\": \"$1\", \"node\": [01],.*\"$2\": \([0-9]*\).*/\1/p" json |
        awk '{ sum += $1 } END { print sum + 0 }'
}

# All objects that belong on a node are there by address and by the kernel, and there are as many as there must be.
all_on_their_node() { # all_on_their_node LEAST KIND
    objects=$(total '.*' objects)
    [ "$(total "$2" objects)" -ge "$1" ] && [ "$objects" -eq "$(total '.*' by_address_ok)" ] &&
        [ "$objects" -eq "$(total '.*' resident_ok)" ] && [ "$(total '.*' resident_unknown)" -eq 0 ] &&
        [ "$(total '.*' wrong)" -eq 0 ]
}

on_nodes() { # on_nodes WHERE MAP OPERATIONS UPDATES: at least so many of the operations insert or remove
    if [ -n "$2" ]; then export NUMAFY_NODEMAP=$2; else unset NUMAFY_NODEMAP; fi
    for structure in bst:2000:tree ll:60:list; do
        kind=${structure##*:}
        keys=${structure%:*}
        keys=${keys#*:}
        run rewritten --DS_name="${structure%%:*}" --keyspace="$keys" --ops="$3"
        check "$3 operations on ${kind}s, nodes $1: verified" $?
        all_on_their_node $((keys * 2)) "$kind node" && [ "$(number updates)" -ge "$4" ]
        check "$4 inserts and removes in ${kind}s, nodes $1: every object by address and by move_pages" $?
        [ "$(total 'pointer array' resident_ok)" -eq 2 ]
        check "the pointer arrays of ${kind}s, nodes $1: by move_pages" $?
    done
    unset NUMAFY_NODEMAP
}

number() { # number MEMBER: of the JSON's outermost object
    sed -n "s/^ \"$1\": \([0-9]*\),*$/\1/p" json
}

plain_blocks() { # plain_blocks MEMBER: of malloc and new, for two threads each
    sed -n "s/.*\"kind\": \"plain [a-z]*\", .*\"$1\": \([0-9]*\).*/\1/p" json |
        awk '{ sum += $1 } END { print sum + 0 }'
}

echo 1..17
on_nodes '0 and 1' '' 1850000 1000000
[ "$(plain_blocks by_address_ok)" -eq 4 ] && [ "$(plain_blocks resident_ok)" -eq 4 ]
check 'malloc and new of the same threads are unbound: their pages follow first touch' $?
on_nodes '2 and 3' 0:2,1:3 300000 150000

run rewritten --DS_config=regular --keyspace=1000 --ops=10000
check 'regular structures of the rewritten program are on the plain heap' $?

run control --keyspace=1000 --ops=10000
[ $? -eq 2 ] && grep -q 'objects are not on their node' err
check 'control: without rewriting the nodes of the trees are found to be elsewhere' $?

run rewritten --keyspace=1000 --ops=10000
kernel_agrees=$?
export NUMAFY_NODEMAP=0:2,1:3
run rewritten --keyspace=1000 --ops=10000
[ $kernel_agrees -eq 0 ] && grep -q '"physical_node": 3' json
check 'the verifier compares with the nodes that NUMAFY_NODEMAP names' $?
[ "$(grep -c '"physical_node": [01]' json)" -eq 4 ]
check 'only the plain heap is compared with the nodes of the threads' $?
exit $failed
