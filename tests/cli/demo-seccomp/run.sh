# SPDX-License-Identifier: Apache-2.0
# Under Docker's default filter, where mbind and move_pages answer EPERM: by address all is right, and the kernel's column
# comes from numa_maps or says that it may not ask.
"$BUILD/tests/seccomp_deny" mbind,set_mempolicy,get_mempolicy,move_pages,migrate_pages "$ROOT/scripts/demo" --no-vm 2>&1
echo "status $?"
