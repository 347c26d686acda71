# SPDX-License-Identifier: Apache-2.0
# Finds libjemalloc and makes the imported target Jemalloc::jemalloc (Debian: libjemalloc-dev).
find_path(Jemalloc_INCLUDE_DIR jemalloc/jemalloc.h)
find_library(Jemalloc_LIBRARY jemalloc)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Jemalloc REQUIRED_VARS Jemalloc_LIBRARY Jemalloc_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install it with: apt-get install libjemalloc-dev")
if(Jemalloc_FOUND AND NOT TARGET Jemalloc::jemalloc)
    add_library(Jemalloc::jemalloc UNKNOWN IMPORTED)
    set_target_properties(Jemalloc::jemalloc PROPERTIES
        IMPORTED_LOCATION "${Jemalloc_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${Jemalloc_INCLUDE_DIR}")
endif()
mark_as_advanced(Jemalloc_INCLUDE_DIR Jemalloc_LIBRARY)
