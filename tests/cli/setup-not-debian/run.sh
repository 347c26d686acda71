# SPDX-License-Identifier: Apache-2.0
# Another system: one line with the package names and status 3, unless the things are there. dpkg, which may be there
# for other reasons, is not believed.
. "$HELPERS/fake_system.sh"
fake_system fedora
fake_demo_needs
"$ROOT/scripts/setup" demo
echo "status $?"
rm bin/cmake system/usr/include/jemalloc/jemalloc.h
printf 'cmake\nlibjemalloc-dev\n' >installed
"$ROOT/scripts/setup" demo
status=$?
cat apt.log
exit $status
