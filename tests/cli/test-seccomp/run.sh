# SPDX-License-Identifier: Apache-2.0
# Under Docker's default filter: mbind, move_pages and their kin answer EPERM.
"$BUILD/tests/seccomp_deny" mbind,set_mempolicy,get_mempolicy,move_pages,migrate_pages "$ROOT/scripts/test" unit 2>&1
echo "status $?"
