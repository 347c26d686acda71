# SPDX-License-Identifier: Apache-2.0
# The runtime's programs once more under NUMAFY_HUGE, with few and with enough reserved huge pages on
# each node. What they check is in their sources: place_runtime asks the kernel for a million blocks.
checks=0 failed=0

pages() { # pages N: on each node
    for node in 0 1 2 3; do
        echo "$1" >/sys/devices/system/node/node$node/hugepages/hugepages-2048kB/nr_hugepages
    done
}

is_well() { # is_well NAME COMMAND...
    name=$1
    shift
    checks=$((checks + 1))
    if "$@" >out 2>&1; then
        echo "ok $checks - $name"
    else
        echo "not ok $checks - $name (status $?)"
        tail -n 60 out | sed 's/^/# /'
        failed=1
    fi
}

suite() { # suite VALUE WORDS
    for program in place_runtime unit_runtime_cxx; do
        is_well "$program, $2" env NUMAFY_HUGE="$1" "$PLACE_BUILD/tests/$program"
    done
}

echo 1..4
pages 3
suite 2 'too few huge pages'
pages 45
suite 2 'enough huge pages'
pages 0
exit $failed
