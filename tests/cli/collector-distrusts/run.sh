# SPDX-License-Identifier: Apache-2.0
# What the collector must not believe: each of these programs is a failure, whatever its lines say.
mkdir -p build/tests
program() { # program NAME LINES...: prints the lines and does what the last word says
    name=$1
    shift
    { echo '#!/bin/sh'; for line; do echo "$line"; done; } >"build/tests/unit_$name"
    chmod +x "build/tests/unit_$name"
}
program good 'echo 1..2; echo "ok 1 - a"; echo "ok 2 - b"'
program two_plans 'echo 1..1; echo ok; echo 1..1; echo "ok 1 - again"'
program fails 'echo 1..1; echo "not ok 1 - sum"; echo "# expected 2, got 3"; exit 1'
program stops_early 'echo 1..3; echo "ok 1 - a"; exit 0'
program crashes 'echo 1..2; echo "ok 1 - a"; kill -SEGV $$'
program crashes_after 'echo 1..1; echo "ok 1 - a"; kill -ABRT $$'
program silent 'exit 0'
program no_plan 'echo "ok 1 - a"'
program bails 'echo 1..1; echo "Bail out! no disk"'
program empty 'echo 1..0'
program skips 'echo 1..1; echo "ok 1 - huge pages # SKIP the kernel has none"'
unset TEST_LOGS
"$PYTHON" "$ROOT/tests/run.py" --build build unit >output 2>&1
echo "status $?"
grep '^FAILED' output | sort
grep -A 1 'stops early\|expected 2' output | head -n 1
grep 'SKIPPED, not\|are not named' output
tail -n 1 output
rm build/tests/unit_*
program skips 'echo 1..2; echo "ok 1 - a"; echo "ok 2 - huge pages # SKIP the kernel has none"'
"$PYTHON" "$ROOT/tests/run.py" --build build unit >output
echo "status $?"
rm build/tests/unit_*
program good 'echo 1..2; echo "ok 1 - a"; echo "ok 2 - b"'
"$PYTHON" "$ROOT/tests/run.py" --build build unit
echo "status $?"
rm build/tests/unit_*
"$PYTHON" "$ROOT/tests/run.py" --build build unit
echo "status $?"
