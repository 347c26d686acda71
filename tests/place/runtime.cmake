# SPDX-License-Identifier: Apache-2.0
# The placement proof of the runtime, and its control: frees through jemalloc's automatic cache.
numafy_test_program(place_runtime SOURCES place_runtime.c LIBS numafy_headers)
numafy_test_program(place_runtime_control SOURCES place_runtime.c LIBS numafy_headers
                    DEFS NUMAFY_TEST_AUTO_TCACHE)

# Reserved huge pages, per node.
numafy_test_program(place_huge SOURCES place_huge.c LIBS numafy_headers)
