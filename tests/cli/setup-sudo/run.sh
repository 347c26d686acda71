# SPDX-License-Identifier: Apache-2.0
# Not root, but sudo works without a password: it is used, also for the environment.
. "$HELPERS/fake_system.sh"
fake_system debian
fake_demo_needs
rm bin/g++
fake_user 1000
fake_command sudo '[ "$1" = -n ] || exit 1; shift; echo "sudo $1" >>"$WORK/sudo.log"; exec "$@"'
"$ROOT/scripts/setup" demo
cat sudo.log apt.log
