# SPDX-License-Identifier: Apache-2.0
"""Random C and C++ programs full of allocations, from seeds.

A cell is a construct (how the memory is asked for) in a context (where that stands in the program). Every program holds
some cells, checks its own data, frees what it has allocated and prints one line that depends on all of it. `cells` deals
the cells to the seeds, `cxx` and `c` write programs, `tree` puts several of them into one source tree. Nothing here runs
anything; tests/harness/programs.py does.
"""
