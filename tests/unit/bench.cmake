# SPDX-License-Identifier: Apache-2.0
numafy_test_program(unit_bench_stats
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/bench_stats.c ${PROJECT_SOURCE_DIR}/bench/alloc/stats.c)
target_include_directories(unit_bench_stats PRIVATE ${PROJECT_SOURCE_DIR}/bench/alloc)

numafy_test_program(unit_bench_trace
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/bench_trace.c ${PROJECT_SOURCE_DIR}/bench/alloc/run.c
        ${PROJECT_SOURCE_DIR}/bench/alloc/peers.c)
target_include_directories(unit_bench_trace PRIVATE ${PROJECT_SOURCE_DIR}/bench/alloc)
