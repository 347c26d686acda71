# SPDX-License-Identifier: Apache-2.0
# What every script of ours says and asks the same way: messages, percentages, a fitting Python, the number of jobs.
# To be sourced by POSIX shells with $root (the project's root) and $me (the script's name) set. Knows no package, no
# test and no build.

# Exit statuses that more than one script uses.
exit_usage=1 # the command line is wrong
exit_setup=3 # something is missing that this script may not or cannot install

say() {
    printf '%s: %s\n' "$me" "$*"
}

# One line on standard error, what is wrong and what to do.
complain() {
    printf '%s: %s\n' "$me" "$*" >&2
}

die() {
    die_status=$1
    shift
    complain "$*"
    exit "$die_status"
}

# A bar is drawn only where a person sees it: standard output is a terminal that can go back to the line's start.
on_terminal() {
    [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]
}

# progress_from_log LABEL: shows the percentages found in the lines that are read from standard input. It knows
# CMake's "[ 42%] ..." and apt's "pmstatus:package:42.0:text"; other lines are passed over. On a terminal one line is
# redrawn; elsewhere a line is printed at each tenth, so that a log stays short.
progress_from_log() {
    progress_tenth=-1
    while IFS= read -r progress_line; do
        progress_percent=
        case $progress_line in
        \[*%\]*)
            progress_percent=${progress_line#\[}
            progress_percent=${progress_percent%%\%*}
            progress_text=${progress_line#*\] }
            ;;
        pmstatus:* | dlstatus:*)
            progress_rest=${progress_line#*:*:}
            progress_percent=${progress_rest%%[.:]*}
            progress_text=${progress_rest#*:}
            ;;
        esac
        progress_percent=${progress_percent##* }
        case $progress_percent in
        '' | *[!0-9]*) continue ;;
        esac
        if on_terminal; then
            progress_bar "$1" "$progress_percent" "$progress_text"
        elif [ $((progress_percent / 10)) -gt "$progress_tenth" ]; then
            progress_tenth=$((progress_percent / 10))
            say "$1: $progress_percent %"
        fi
    done
    if on_terminal; then
        printf '\r\033[K'
    fi
}

progress_bar() {
    bar_done=$(($2 / 5))
    bar=
    bar_i=0
    while [ "$bar_i" -lt 20 ]; do
        if [ "$bar_i" -lt "$bar_done" ]; then bar=$bar#; else bar=$bar.; fi
        bar_i=$((bar_i + 1))
    done
    printf '\r\033[K%s [%s] %3d %% %.40s' "$1" "$bar" "$2" "$3"
}

# The first Python that is new enough: whichever python3 is first on PATH (often a pyenv one), else the system's.
python_find() {
    for python_try in python3 /usr/bin/python3 /usr/local/bin/python3; do
        if "$python_try" -c 'import sys; sys.exit(sys.version_info < (3, 9))' >/dev/null 2>&1; then
            printf '%s\n' "$python_try"
            return 0
        fi
    done
    return 1
}

# CPUs that this process may use (taskset and cgroup sets count), at least one.
jobs_count() {
    nproc 2>/dev/null || echo 1
}
