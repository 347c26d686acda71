# SPDX-License-Identifier: Apache-2.0
# What the rewriter does with bytes, driven by libFuzzer; tests/harness/libfuzzer.py runs it.
#
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
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/planted
        BUILD_RPATH ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
    add_dependencies(numafy-rewrite-planted numafy-parse)
    target_include_directories(numafy-rewrite-planted PRIVATE ${PROJECT_SOURCE_DIR}/tool)
    target_compile_definitions(numafy-rewrite-planted PRIVATE
        NUMAFY_TOOL_PLANT NUMAFY_VERSION="${PROJECT_VERSION}"
        NUMAFY_RUNTIME_DIR="${PROJECT_SOURCE_DIR}/runtime" _GNU_SOURCE)
    # Nothing here is about speed: -O0 builds it in a few seconds.
    target_compile_options(numafy-rewrite-planted PRIVATE -O0)
    target_link_libraries(numafy-rewrite-planted PRIVATE
        PkgConfig::JsonC PkgConfig::XxHash ${CMAKE_DL_LIBS} numafy_warnings)
endif()

find_program(NUMAFY_LIBFUZZER_CC clang-19)
if(NUMAFY_LIBFUZZER_CC AND TARGET numafy_tool)
    set(libfuzzer_tool ${PROJECT_BINARY_DIR}/tests/libfuzzer_tool)
    set(parts compdb edit facts lex mem path prelude strbuf strmap udiff)
    list(TRANSFORM parts REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/tool/\\1.c" OUTPUT_VARIABLE libfuzzer_tool_sources)
    list(APPEND libfuzzer_tool_sources ${CMAKE_CURRENT_SOURCE_DIR}/libfuzzer_tool.c)
    file(GLOB libfuzzer_tool_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tool/*.h)
    add_custom_command(OUTPUT ${libfuzzer_tool}
        COMMAND ${NUMAFY_LIBFUZZER_CC} -std=c11 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined
                -fno-sanitize-recover=undefined -I ${PROJECT_SOURCE_DIR}/tool ${JsonC_CFLAGS}
                ${libfuzzer_tool_sources} -o ${libfuzzer_tool} ${JsonC_LDFLAGS}
        DEPENDS ${libfuzzer_tool_sources} ${libfuzzer_tool_headers} VERBATIM)
    add_custom_target(libfuzzer_tool ALL DEPENDS ${libfuzzer_tool})
endif()
