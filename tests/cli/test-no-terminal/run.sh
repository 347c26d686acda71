# SPDX-License-Identifier: Apache-2.0
# Without a terminal: plain lines, no carriage return, no escape, and no question that waits for an answer.
"$ROOT/scripts/test" --only unit_tool_ unit >output 2>&1 </dev/null
status=$?
grep -c "$(printf '[\r\033]')" output
cat output
echo "status $status"
