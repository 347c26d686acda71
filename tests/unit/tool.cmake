# SPDX-License-Identifier: Apache-2.0
# The rewriter's parts without libclang: every part that has a decision of its own has a program.
if(TARGET numafy_tool)
    foreach(part bytes text facts merge decide database outtree)
        numafy_test_program(unit_tool_${part} SOURCES ${CMAKE_CURRENT_LIST_DIR}/tool_${part}.c LIBS numafy_tool
                            DEFS NUMAFY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    endforeach()
endif()
