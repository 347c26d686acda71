# SPDX-License-Identifier: Apache-2.0
# The disk is looked at before anything is changed: for the packages, and for the tree even when no package is missing.
. "$HELPERS/fake_system.sh"
fake_system debian
fake_demo_needs
fake_disk_mib 900
"$ROOT/scripts/setup" demo
echo "status $?"
rm bin/make
"$ROOT/scripts/setup" demo
echo "status $?"
fake_disk_mib 100
"$ROOT/scripts/setup" demo
status=$?
cat apt.log
exit $status
