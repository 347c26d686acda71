# SPDX-License-Identifier: Apache-2.0
# The runtime under threads: exchange of blocks; the locks that they take, with a control that must take too many.
numafy_test_program(race_runtime SOURCES race_runtime.c LIBS numafy_headers)
numafy_test_program(race_runtime_locks SOURCES race_runtime_locks.c LIBS numafy_headers)
numafy_test_program(race_runtime_locks_control SOURCES race_runtime_locks.c LIBS numafy_headers
                    DEFS NUMAFY_TEST_MAIN_TCACHE)
numafy_test_program(race_roots SOURCES race_roots.c LIBS numafy_headers)
