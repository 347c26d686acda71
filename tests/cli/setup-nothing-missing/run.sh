# SPDX-License-Identifier: Apache-2.0
# When nothing is missing, nothing is said and no apt-get runs: no network is needed.
. "$HELPERS/fake_system.sh"
fake_system debian
fake_demo_needs
fake_command apt-get 'echo "apt-get was called: $*"'
"$ROOT/scripts/setup" demo
echo "status $?"
# Also where only dpkg can tell.
rm bin/cmake system/usr/include/numa.h
printf 'cmake\nlibnuma-dev\n' >installed
"$ROOT/scripts/setup" demo
echo "status $?"
