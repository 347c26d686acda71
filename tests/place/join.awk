# SPDX-License-Identifier: Apache-2.0
# Joins framed TAP streams (see guest) into one: numbers anew, prefixes each test with its stream's
# name, and adds a failure where a stream is not to be believed: no plan, another number of tests
# than planned, a bad exit status without a failed test, or no end. The last line `# guest N` is
# numavm's status.

function report(good, text) {
    count++
    if (!good)
        bad = 1
    print (good ? "ok " : "not ok ") count " - " text
    fflush()
}

function close_stream(status,    why) {
    if (plans == 0)
        why = "no plan"
    else if (planned != seen)
        why = planned " tests planned, " seen " reported"
    else if (status != 0 && !stream_bad)
        why = "no failed test"
    else if (status == 0 && stream_bad)
        why = "failed tests"
    # An honest stream with failed tests has reported them itself.
    if (why != "")
        report(0, name ": exit status " status " and " why)
    name = ""
}

/^# begin / {
    name = $3
    plans = planned = seen = stream_bad = 0
    next
}
/^# end / && $3 == name {
    close_stream($4)
    next
}
/^# guest [0-9]+$/ {
    ended = 1
    if (name != "")
        report(0, name ": the guest ended in it (numavm's exit status " $3 ")")
    else if ($3 != 0)
        report(0, "place: numavm's exit status " $3)
    next
}
name != "" && /^1\.\.[0-9]+/ {
    plans++
    planned += substr($1, 4)
    if (planned == 0 && tolower($0) ~ /# *skip/) {
        reason = $0
        sub(/^[^#]*#/, "#", reason)
        report(1, name " " reason)
    }
    next
}
name != "" && /^(not )?ok([ \t]|$)/ {
    seen++
    good = ($1 == "ok")
    text = $0
    sub(/^(not )?ok[ \t]*[0-9]*[ \t]*(-[ \t]*)?/, "", text)
    if (!good && tolower(text) !~ /# *(skip|todo)/)
        stream_bad = 1
    else
        good = 1
    report(good, name ": " text)
    next
}
/^Bail out!/ {
    report(0, name ": " $0)
    next
}
/^$/ { next }
{ print (/^#/ ? "" : "# ") $0; fflush() }

END {
    if (!ended)
        report(0, "place: the run broke off")
    print "1.." count + 0
    exit bad
}
