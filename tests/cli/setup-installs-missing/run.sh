# SPDX-License-Identifier: Apache-2.0
# Says what is missing, updates the lists first, installs only that, without questions, recommends or a race for the lock;
# a second call finds nothing to do.
. "$HELPERS/fake_system.sh"
fake_system debian
fake_demo_needs
rm bin/cmake system/usr/include/numa.h
"$ROOT/scripts/setup" demo
echo "status $?"
"$ROOT/scripts/setup" demo
echo "status $?"
cat apt.log
