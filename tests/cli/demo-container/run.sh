# SPDX-License-Identifier: Apache-2.0
# The demo where a filter like Docker's answers EPERM to mbind and its kin: it runs, placement by address is complete,
# and the kernel's column says what it is worth.
set -eu
"$BUILD/bin/seccomp_deny" mbind,set_mempolicy,get_mempolicy,move_pages,migrate_pages \
    "$ROOT/scripts/demo" --no-vm </dev/null
