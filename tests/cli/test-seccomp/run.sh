# SPDX-License-Identifier: Apache-2.0
# Under Docker's default filter: mbind, move_pages and their kin answer EPERM. The programs are those that place objects.
"$BUILD/tests/seccomp_deny" mbind,set_mempolicy,get_mempolicy,move_pages,migrate_pages \
    "$ROOT/scripts/test" --only unit_runtime_c --only unit_runtime_forms --only unit_runtime_iso_no \
    --only unit_runtime_limits --only unit_runtime_modes unit 2>&1
echo "status $?"
