# SPDX-License-Identifier: Apache-2.0
# numafy_target(TARGET [PLACE Type=node...] [ROOT variable=node...] [ALL] [STRICT] [KEEP_GOING] [TREE folder])
#
# Builds TARGET from rewritten sources: before each build numafy-rewrite reads the target's compile commands and writes
# <build>/numafy/TARGET, and the compiler is started through a launcher that reads that copy instead of TREE (by default the
# top source folder). Sources, include folders and generated headers stay as the project names them. Only what a change
# touches is rewritten and compiled again. For Makefile and Ninja generators.
#
# The build fails where the rewriter's exit status is not 0 (docs/exit-codes.md): files that it cannot parse or whose edits
# conflict, which KEEP_GOING builds unchanged, and with STRICT allocations that a root reaches and that were left.
#
# NUMAFY_ROOT: the folder of numafy (found from this file); its build folder has numafy-rewrite and libnumafy.
include_guard()
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
get_filename_component(NUMAFY_ROOT "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(NUMAFY_BUILD "${NUMAFY_ROOT}/build" CACHE PATH "the build folder of numafy")

function(numafy_target target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "ALL;STRICT;KEEP_GOING" "TREE" "PLACE;ROOT")
    if(arg_UNPARSED_ARGUMENTS OR NOT TARGET ${target})
        message(FATAL_ERROR "numafy_target(${ARGV}): use "
            "numafy_target(TARGET [PLACE T=k...] [ROOT v=k...] [ALL] [STRICT] [KEEP_GOING] [TREE folder])")
    endif()
    if(NOT CMAKE_EXPORT_COMPILE_COMMANDS)
        message(FATAL_ERROR "numafy_target(${target}): set(CMAKE_EXPORT_COMPILE_COMMANDS ON) before the target")
    endif()
    if(NOT arg_TREE)
        set(arg_TREE "${CMAKE_SOURCE_DIR}")
    endif()
    set(options)
    foreach(place IN LISTS arg_PLACE)
        list(APPEND options --place "${place}")
    endforeach()
    foreach(root IN LISTS arg_ROOT)
        list(APPEND options --root "${root}")
    endforeach()
    foreach(flag all strict keep-going)
        string(REPLACE "-" "_" name "${flag}")
        string(TOUPPER "${name}" name)
        if(arg_${name})
            list(APPEND options --${flag})
        endif()
    endforeach()
    set(out "${CMAKE_BINARY_DIR}/numafy/${target}")
    set(run "${CMAKE_COMMAND}" -E env "PYTHONPATH=${NUMAFY_ROOT}" "${Python3_EXECUTABLE}" -m numafy.target)
    add_custom_target(${target}_numafy
        COMMAND ${run} rewrite "${target}" "${arg_TREE}" "${CMAKE_BINARY_DIR}" "${out}"
                "${NUMAFY_BUILD}/bin/numafy-rewrite" ${options}
        COMMENT "Rewriting the sources of ${target}" VERBATIM)
    # Headers that other targets make must be there before the sources are read.
    get_target_property(before ${target} MANUALLY_ADDED_DEPENDENCIES)
    if(before)
        add_dependencies(${target}_numafy ${before})
    endif()
    add_dependencies(${target} ${target}_numafy)
    set_target_properties(${target} PROPERTIES
        C_COMPILER_LAUNCHER "${run};compile;${arg_TREE};${out};--"
        CXX_COMPILER_LAUNCHER "${run};compile;${arg_TREE};${out};--")
    # Other placements are other objects.
    string(SHA256 digest "${options}")
    string(SUBSTRING "${digest}" 0 12 digest)
    target_compile_definitions(${target} PRIVATE "NUMAFY_TARGET_OPTIONS=0x${digest}")
    target_include_directories(${target} SYSTEM PRIVATE "${NUMAFY_ROOT}/runtime")
    target_link_options(${target} PRIVATE "LINKER:--push-state,--no-as-needed" "${NUMAFY_BUILD}/lib/libnumafy.so"
        "LINKER:--pop-state" "LINKER:-rpath,${NUMAFY_BUILD}/lib")
    target_link_libraries(${target} PRIVATE jemalloc)
endfunction()
