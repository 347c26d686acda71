# SPDX-License-Identifier: Apache-2.0
# Finds libclang's C API, newest version first, and makes Libclang::libclang (Debian: libclang-19-dev).
# Older versions than 19 take a token of a macro body for its use: the rewriter would edit wrong bytes.
set(_libclang_roots)
foreach(v RANGE 25 19 -1)
    list(APPEND _libclang_roots /usr/lib/llvm-${v})
endforeach()
find_path(Libclang_INCLUDE_DIR clang-c/Index.h HINTS ${_libclang_roots} PATH_SUFFIXES include)
if(Libclang_INCLUDE_DIR)
    get_filename_component(_libclang_prefix ${Libclang_INCLUDE_DIR} DIRECTORY)
    find_library(Libclang_LIBRARY NAMES clang HINTS ${_libclang_prefix} PATH_SUFFIXES lib
                 NO_DEFAULT_PATH)
    find_library(Libclang_LIBRARY NAMES clang)
    if(_libclang_prefix MATCHES "llvm-([0-9]+)")
        set(Libclang_VERSION ${CMAKE_MATCH_1})
    endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libclang
    REQUIRED_VARS Libclang_LIBRARY Libclang_INCLUDE_DIR VERSION_VAR Libclang_VERSION
    REASON_FAILURE_MESSAGE "install it with: apt-get install libclang-19-dev")
if(Libclang_FOUND AND NOT TARGET Libclang::libclang)
    add_library(Libclang::libclang UNKNOWN IMPORTED)
    set_target_properties(Libclang::libclang PROPERTIES
        IMPORTED_LOCATION "${Libclang_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${Libclang_INCLUDE_DIR}")
endif()
mark_as_advanced(Libclang_INCLUDE_DIR Libclang_LIBRARY)
