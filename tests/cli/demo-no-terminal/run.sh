# SPDX-License-Identifier: Apache-2.0
# The demo without a terminal and without a guest: plain lines, placement by address, status 0.
"$ROOT/scripts/demo" --no-vm >output 2>&1 </dev/null
status=$?
grep -c "$(printf '[\r\033]')" output
cat output
echo "status $status"
