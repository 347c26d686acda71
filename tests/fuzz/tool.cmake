# SPDX-License-Identifier: Apache-2.0
# The rewriter with bugs that NUMAFY_PLANT=n turns on, one at a time: tests/harness/planted.py shows that each is found.
if(TARGET numafy-rewrite)
    pkg_check_modules(JsonC REQUIRED IMPORTED_TARGET json-c)
    pkg_check_modules(XxHash REQUIRED IMPORTED_TARGET libxxhash)
    get_target_property(tool_sources numafy_tool SOURCES)
    get_target_property(main_sources numafy-rewrite SOURCES)
    set(planted_sources ${tool_sources} ${main_sources})
    list(TRANSFORM planted_sources PREPEND ${PROJECT_SOURCE_DIR}/tool/)
    add_executable(numafy-rewrite-planted ${planted_sources})
    set_target_properties(numafy-rewrite-planted PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/planted)
    target_include_directories(numafy-rewrite-planted PRIVATE ${PROJECT_SOURCE_DIR}/tool)
    target_compile_definitions(numafy-rewrite-planted PRIVATE
        NUMAFY_TOOL_PLANT NUMAFY_VERSION="${PROJECT_VERSION}"
        NUMAFY_RUNTIME_DIR="${PROJECT_SOURCE_DIR}/runtime" _GNU_SOURCE)
    # Nothing here is about speed: -O0 builds it in a few seconds.
    target_compile_options(numafy-rewrite-planted PRIVATE -O0)
    target_link_libraries(numafy-rewrite-planted PRIVATE
        Libclang::libclang PkgConfig::JsonC PkgConfig::XxHash numafy_warnings)
endif()
