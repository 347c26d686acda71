# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# Turns NODES and -D into QEMU's arguments. Must not know: files, processes.

topology_default=512:1,512:1,256,256
topology_mib=0 topology_cpus=0 topology_count=0 topology_arguments=() topology_error=''
topology_own_cpus=() # CPUs of each node, 0 for a node without

# The distance between nodes $1 < $2: -D's, else as firmware gives it on machines with persistent
# memory behind each socket (10 local, 21 across, 17 within a socket, 28 to the other's memory).
topology_distance() {
    if [[ ,$distances =~ ,($1-$2|$2-$1)=([0-9]+) ]]; then
        echo "${BASH_REMATCH[2]}"
    elif [ "${topology_own_cpus[$1]}" -gt 0 ] && [ "${topology_own_cpus[$2]}" -gt 0 ]; then
        echo 21
    elif [ "$(topology_home "$1")" -eq "$(topology_home "$2")" ]; then
        echo 17
    else
        echo 28
    fi
}

# The node with CPUs that node $1 belongs to: itself, or by turns for nodes without CPUs.
topology_home() {
    local i nth=0 with=()
    [ "${topology_own_cpus[$1]}" -eq 0 ] || {
        echo "$1"
        return
    }
    for ((i = 0; i < topology_count; i++)); do
        if [ "${topology_own_cpus[i]}" -gt 0 ]; then
            with+=("$i")
        elif [ "$i" -lt "$1" ]; then
            nth=$((nth + 1))
        fi
    done
    echo "${with[nth % ${#with[@]}]}"
}

topology_parse() {
    local nodes=$1 entry mib cpus list i j argument
    [ "$nodes" != default ] || nodes=$topology_default
    IFS=, read -r -a list <<<"$nodes"
    for entry in "${list[@]}"; do
        if ! [[ $entry =~ ^([1-9][0-9]{0,4})(:([0-9]{1,2}))?$ ]]; then
            topology_error="NODES: '$entry' is not MIB[:CPUS], e.g. $topology_default"
            return 1
        fi
        mib=${BASH_REMATCH[1]} cpus=$((10#${BASH_REMATCH[3]:-0}))
        # The kernel hands memory to nodes in blocks of 128 MiB.
        if [ $((mib % 128)) -ne 0 ]; then
            topology_error="NODES: $mib MiB is not a multiple of 128"
            return 1
        fi
        argument=node,nodeid=$topology_count,memdev=m$topology_count
        [ "$cpus" -eq 0 ] || argument+=,cpus=$topology_cpus-$((topology_cpus + cpus - 1))
        topology_arguments+=(-object "memory-backend-ram,id=m$topology_count,size=${mib}M"
            -numa "$argument")
        topology_own_cpus[topology_count]=$cpus
        topology_cpus=$((topology_cpus + cpus)) topology_mib=$((topology_mib + mib))
        topology_count=$((topology_count + 1))
    done
    if [ $topology_cpus -eq 0 ]; then
        topology_error="NODES: no node has CPUs: $nodes"
        return 1
    fi
    # Below 3 GiB there is one range of memory, without the hole for PCI inside a node.
    if [ $topology_mib -gt 3072 ]; then
        topology_error="NODES: $topology_mib MiB in total, at most 3072 work"
        return 1
    fi
    if [ -n "$distances" ] && ! [[ $distances =~ ^[0-9]+-[0-9]+=[0-9]+(,[0-9]+-[0-9]+=[0-9]+)*$ ]]; then
        topology_error="-D: '$distances' is not like 0-1=21,0-2=17"
        return 1
    fi
    for ((i = 0; i < topology_count; i++)); do
        for ((j = i + 1; j < topology_count; j++)); do
            topology_arguments+=(-numa "dist,src=$i,dst=$j,val=$(topology_distance "$i" "$j")")
        done
    done
}
