# SPDX-License-Identifier: Apache-2.0
# The runtime's unit tests: header-only (C and C++ units and a shared library in one program) and again with libnumafy.
add_library(runtime_test_lib SHARED runtime_lib.c)
target_link_libraries(runtime_test_lib PRIVATE numafy_headers numafy_warnings)
add_library(runtime_test_lib_extern SHARED runtime_lib.c)
target_compile_definitions(runtime_test_lib_extern PRIVATE NUMAFY_EXTERN)
target_link_libraries(runtime_test_lib_extern PRIVATE numafy numafy_warnings)

set(runtime_parts runtime_part_c.c runtime_part_cxx.cpp)
numafy_test_program(unit_runtime_c SOURCES runtime_c.c ${runtime_parts}
                    LIBS runtime_test_lib numafy_headers)
numafy_test_program(unit_runtime_c_lib SOURCES runtime_c.c ${runtime_parts}
                    LIBS runtime_test_lib_extern numafy DEFS NUMAFY_EXTERN)
numafy_test_program(unit_runtime_cxx SOURCES runtime_cxx.cpp ${runtime_parts}
                    LIBS runtime_test_lib numafy_headers)
numafy_test_program(unit_runtime_cxx_lib SOURCES runtime_cxx.cpp ${runtime_parts}
                    LIBS runtime_test_lib_extern numafy DEFS NUMAFY_EXTERN)
numafy_test_program(unit_runtime_containers SOURCES runtime_containers.cpp LIBS numafy_headers)

# The forms of new and delete, and under ASan, which knows which belong together, with the pools off and on.
numafy_test_program(unit_runtime_forms SOURCES runtime_forms.cpp LIBS numafy_headers)
numafy_test_program(unit_runtime_forms_lib SOURCES runtime_forms.cpp LIBS numafy DEFS NUMAFY_EXTERN)
numafy_test_program(unit_runtime_forms_asan SOURCES runtime_forms.cpp LIBS numafy_headers)
numafy_test_program(unit_runtime_forms_asan_pools SOURCES runtime_forms.cpp LIBS numafy_headers
                    DEFS NUMAFY_SANITIZE_POOLS)
foreach(program unit_runtime_forms_asan unit_runtime_forms_asan_pools)
    # gcc 12 at -O2 leaves marks on the stack of scopes that an exception has left, and reports itself there.
    target_compile_options(${program} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all
                                              -O1)
    target_link_options(${program} PRIVATE -fsanitize=address,undefined)
endforeach()
numafy_test_program(unit_runtime_forms_off SOURCES runtime_forms.cpp DEFS NUMAFY_OFF)
target_include_directories(unit_runtime_forms_off PRIVATE ${PROJECT_SOURCE_DIR}/runtime)

# The standards' clauses, in every way to build with the header.
numafy_test_program(unit_runtime_iso SOURCES runtime_iso.c LIBS numafy_headers)
numafy_test_program(unit_runtime_iso_lib SOURCES runtime_iso.c LIBS numafy DEFS NUMAFY_EXTERN)
numafy_test_program(unit_runtime_iso_no_replace SOURCES runtime_iso.c LIBS numafy_headers
                    DEFS NUMAFY_NO_REPLACE)
numafy_test_program(unit_runtime_iso_off SOURCES runtime_iso.c DEFS NUMAFY_OFF)
numafy_test_program(unit_runtime_no_replace SOURCES runtime_no_replace.cpp LIBS numafy_headers
                    DEFS NUMAFY_NO_REPLACE)
target_include_directories(unit_runtime_iso_off PRIVATE ${PROJECT_SOURCE_DIR}/runtime)

# Strange surroundings; linked with --as-needed, which must keep jemalloc, and exporting its runtime to a plug-in.
add_library(runtime_test_plugin MODULE runtime_lib.c)
target_link_libraries(runtime_test_plugin PRIVATE numafy_headers numafy_warnings)
numafy_test_program(unit_runtime_env SOURCES runtime_env.c LIBS numafy_headers
                    DEFS RUNTIME_PLUGIN="$<TARGET_FILE:runtime_test_plugin>")
target_link_options(unit_runtime_env BEFORE PRIVATE -Wl,--as-needed)
add_dependencies(unit_runtime_env runtime_test_plugin)

# Not named unit_runtime_: it sets NUMAFY_HUGE itself, so it is not run once more under each value.
numafy_test_program(unit_huge SOURCES runtime_huge.c LIBS numafy_headers)

numafy_test_program(unit_life SOURCES runtime_life.c LIBS numafy_headers)
# Other kernels and machines, and every refusal of a system call.
numafy_test_program(unit_runtime_system SOURCES runtime_system.c LIBS numafy_headers)
numafy_test_program(unit_runtime_modes SOURCES runtime_modes.c LIBS numafy_headers)

numafy_test_program(unit_runtime_limits SOURCES runtime_limits.c LIBS numafy_headers
                    DEFS NUMAFY_TEST_TCACHE_BUDGET=2)
numafy_test_program(unit_runtime_own_free SOURCES runtime_limits.c runtime_own_free.c LIBS numafy_headers
                    DEFS CASE_OWN_FREE)

# The debug build: what each level finds, and the tests above under the most expensive one.
foreach(level 1 2 3)
    numafy_test_program(unit_check_${level} SOURCES runtime_check.cpp LIBS numafy_headers
                        DEFS NUMAFY_DEBUG=${level})
endforeach()
add_library(runtime_test_lib_debug SHARED runtime_lib.c)
target_compile_definitions(runtime_test_lib_debug PRIVATE NUMAFY_DEBUG=3)
target_link_libraries(runtime_test_lib_debug PRIVATE numafy_headers numafy_warnings)
numafy_test_program(unit_debug_c SOURCES runtime_c.c ${runtime_parts}
                    LIBS runtime_test_lib_debug numafy_headers DEFS NUMAFY_DEBUG=3)
numafy_test_program(unit_debug_cxx SOURCES runtime_cxx.cpp ${runtime_parts}
                    LIBS runtime_test_lib_debug numafy_headers DEFS NUMAFY_DEBUG=3)
numafy_test_program(unit_debug_containers SOURCES runtime_containers.cpp LIBS numafy_headers
                    DEFS NUMAFY_DEBUG=3)
