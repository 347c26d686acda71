# SPDX-License-Identifier: Apache-2.0
# Configures and builds the project's own tree, with a progress display and the reason of a failure. To be sourced after
# common.sh. Knows CMake; knows nothing of packages (scripts/setup) and of what is done with the programs.

# build_tree DIR [CMAKE-OPTION...]: brings DIR up to date. A lock makes two callers wait for each other: test cases
# call the scripts that they test while a test run is going on. Output goes to DIR/build.log.
build_tree() {
    build_dir=$1
    shift
    mkdir -p "$build_dir" || die "$exit_setup" "cannot write $build_dir"
    build_log=$build_dir/build.log
    (
        flock 9
        build_locked "$@"
    ) 9>"$build_dir/build.lock"
}

build_locked() {
    if ! cmake -S "$root" -B "$build_dir" -DCMAKE_BUILD_TYPE="${BUILD_TYPE:-RelWithDebInfo}" "$@" \
        >"$build_log" 2>&1; then
        build_failed configuring
    fi
    build_status=$build_dir/build.status
    {
        cmake --build "$build_dir" --parallel "$(jobs_count)" 2>&1
        echo $? >"$build_status"
    } | tee -a "$build_log" | progress_from_log building
    if [ "$(cat "$build_status")" -ne 0 ]; then
        build_failed building
    fi
}

build_failed() {
    grep -n -E -A 4 '(error|Error|ERROR)[: ]' "$build_log" | head -n 40 >&2
    die 1 "$1 failed; everything it said is in $build_log"
}

# The options of a first configuration for the demo. A tree that was configured for the tests stays so: switching the
# tests off would throw away what scripts/test built.
build_demo_options() {
    if [ ! -f "$1/CMakeCache.txt" ]; then
        echo '-DNUMAFY_BUILD_TESTS=OFF -DNUMAFY_BUILD_BENCH=OFF'
    fi
}
