# SPDX-License-Identifier: Apache-2.0
# Ends that are not the command's own: the OOM killer ends the command (137), the kernel panics and
# nobody reports (125), the command's limit (137), the guest's limit (125).
set -eu
if ! why=$("$ROOT/scripts/numavm" --check 2>&1); then
    echo "$why"
    exit 77
fi
mkdir empty
try() {
    status=0
    "$ROOT/scripts/numavm" "$@" 2>errors || status=$?
    echo "status $status"
    grep "never reported" errors || true
}
try -k log 256:1 empty tail /dev/zero
grep -o 'Out of memory: Killed process [0-9]* (tail)' log | sed 's/[0-9][0-9]*/N/'
try 256:1 empty 'echo before; echo c >/proc/sysrq-trigger; echo after'
try -T 1 256:1 empty 'echo before; exec sleep 100'
try -t 25 256:1 empty 'echo before; exec sleep 1000'
