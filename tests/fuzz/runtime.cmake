# SPDX-License-Identifier: Apache-2.0
# The runtime under random use, against a model: from fixed seeds, and driven by the bytes of libFuzzer.
set(runtime_fuzz_model ops.c model.c)
set(runtime_fuzz_sources fuzz_runtime.c typed.cpp ${runtime_fuzz_model})
numafy_test_program(fuzz_runtime SOURCES ${runtime_fuzz_sources} LIBS numafy_headers)
numafy_test_program(fuzz_runtime_debug SOURCES ${runtime_fuzz_sources} LIBS numafy_headers
                    DEFS NUMAFY_DEBUG=3)
# 8 bugs are planted in turn, one NUMAFY_PLANTED_ each.
numafy_test_program(fuzz_runtime_planted SOURCES ${runtime_fuzz_sources} LIBS numafy_headers
                    DEFS NUMAFY_TEST_PLANT=8)

# libFuzzer comes with clang; tests/harness/libfuzzer.py runs it, and says so if it is not there.
find_program(NUMAFY_LIBFUZZER_CC clang-19)
if(NUMAFY_LIBFUZZER_CC)
    set(libfuzzer_runtime ${PROJECT_BINARY_DIR}/tests/libfuzzer_runtime)
    list(TRANSFORM runtime_fuzz_model PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE libfuzzer_sources)
    list(APPEND libfuzzer_sources ${CMAKE_CURRENT_SOURCE_DIR}/libfuzzer_runtime.c)
    file(GLOB libfuzzer_headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h
         ${PROJECT_SOURCE_DIR}/runtime/*.h ${PROJECT_SOURCE_DIR}/runtime/numafy/*.h)
    add_custom_command(OUTPUT ${libfuzzer_runtime}
        COMMAND ${NUMAFY_LIBFUZZER_CC} -std=c11 -O1 -g -fsanitize=fuzzer -DFUZZ_NO_TYPED -I ${PROJECT_SOURCE_DIR}/runtime
                ${libfuzzer_sources} -o ${libfuzzer_runtime} ${Jemalloc_LIBRARY} -lpthread -ldl
                "-Wl,--export-dynamic-symbol=numafy_*"
        DEPENDS ${libfuzzer_sources} ${libfuzzer_headers} VERBATIM)
    add_custom_target(libfuzzer_runtime ALL DEPENDS ${libfuzzer_runtime})
endif()
