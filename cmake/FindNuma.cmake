# SPDX-License-Identifier: Apache-2.0
# Finds libnuma and makes the imported target Numa::numa (Debian: libnuma-dev).
find_path(Numa_INCLUDE_DIR numa.h)
find_library(Numa_LIBRARY numa)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Numa REQUIRED_VARS Numa_LIBRARY Numa_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install it with: apt-get install libnuma-dev")
if(Numa_FOUND AND NOT TARGET Numa::numa)
    add_library(Numa::numa UNKNOWN IMPORTED)
    set_target_properties(Numa::numa PROPERTIES
        IMPORTED_LOCATION "${Numa_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${Numa_INCLUDE_DIR}")
endif()
mark_as_advanced(Numa_INCLUDE_DIR Numa_LIBRARY)
