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
