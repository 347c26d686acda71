# SPDX-License-Identifier: Apache-2.0
# Not root, and no sudo or one that asks for a password: the exact line to run, status 3, nothing is changed.
. "$HELPERS/fake_system.sh"
fake_system ubuntu
fake_demo_needs
rm bin/g++ system/usr/include/xxhash.h
fake_user 1000
"$ROOT/scripts/setup" demo
echo "status $?"
fake_command sudo 'echo "sudo: a password is required" >&2; exit 1'
"$ROOT/scripts/setup" demo
status=$?
cat apt.log
exit $status
