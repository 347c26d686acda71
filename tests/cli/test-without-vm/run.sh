# SPDX-License-Identifier: Apache-2.0
# Where no guest can be started: scripts/test says what was not run and fails, unless --no-vm. The unit programs that are
# named stand for all that runs beside.
mkdir bin
ln -s /usr/bin/* /bin/* bin 2>/dev/null
rm -f bin/qemu-system-*
PATH=$WORK/bin
export PATH
"$ROOT/scripts/test" --only unit_tool_ unit place >output 2>&1
echo "status $?"
grep -E '^NOT RUN|failed,' output
"$ROOT/scripts/test" --no-vm --only unit_tool_ unit place >output 2>&1
echo "status $?"
grep -E 'left out|failed,' output
