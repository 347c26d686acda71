# SPDX-License-Identifier: Apache-2.0
"""The driver of numafy: compile database, rewriter, build of the result, report.

It decides nothing about source code; that is numafy-rewrite's job. Standard library only, Python
3.9 or newer. One module per concern:

    cli       options, help texts, the one place that turns errors into exit codes
    errors    exit codes and the error type
    project   where the parts of numafy are (rewriter, wrappers, suites)
    runner    the only module that starts processes
    files     atomic writes, file names that are safe to print
    compdb    finds or makes compile_commands.json
    rewrite   runs numafy-rewrite
    build     --build and --test in the rewritten tree, with the compiler wrappers
    suites    the benchmark suites of the project
    inplace   --in-place and --undo
    report    the rewriter's JSON report as text and as HTML
    progress  what the user sees while waiting
"""
