# SPDX-License-Identifier: Apache-2.0
# The joined stream of the place layer must not hide a stream that cannot be believed.
exec 2>&1
try() {
    echo "== $1"
    awk -f "$ROOT/tests/place/join.awk"
    echo "status $?"
}
try 'all well, two plans in one stream' <<'END'
# begin place_a
1..1
ok 1 - first
1..2
ok 1 - second
ok 2 - third # SKIP no huge pages
# end place_a 0
# begin b
1..0 # SKIP no CPU
# end b 0
# guest 0
END
try 'a failed test' <<'END'
# begin a
not ok 1 - wrong
# expected 1, got 2
1..1
# end a 1
# guest 0
END
try 'fewer tests than planned, none at all, a bad status, a crash' <<'END'
# begin a
1..3
ok 1 - first
# end a 0
# begin b
# end b 0
# begin c
1..1
ok 1 - first
# end c 7
# begin d
1..2
ok 1 - first
# end d 139
# begin e
1..1
not ok 1 - failed but exits with 0
# end e 0
# guest 0
END
try 'the guest dies in a test' <<'END'
# begin a
1..1
ok 1 - first
# end a 0
# begin b
1..2
ok 1 - first
# guest 125
END
try 'the guest never came up' <<'END'
# guest 125
END
try 'the pipe breaks' <<'END'
# begin a
1..1
ok 1 - first
# end a 0
END
