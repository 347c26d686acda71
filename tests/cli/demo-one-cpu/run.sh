# SPDX-License-Identifier: Apache-2.0
# The demo on one CPU, without a terminal, in the C locale: every object is on its node by address, and one line says
# why there is no column of the guest.
set -eu
cpu=$("$PYTHON" -c 'import os; print(min(os.sched_getaffinity(0)))')
env -u TERM LC_ALL=C LANG=C taskset -c "$cpu" "$ROOT/scripts/demo" --no-vm </dev/null
