# SPDX-License-Identifier: Apache-2.0
# One interface target with the warnings of every target of ours, and one with the sanitizers asked for.
add_library(numafy_warnings INTERFACE)
target_compile_options(numafy_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-qual -Wpointer-arith
    -Wwrite-strings -Wundef -Wvla
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
    $<$<BOOL:${NUMAFY_WERROR}>:-Werror>)

add_library(numafy_sanitizers INTERFACE)
if(NUMAFY_SANITIZE)
    target_compile_options(numafy_sanitizers INTERFACE
        -fsanitize=${NUMAFY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(numafy_sanitizers INTERFACE -fsanitize=${NUMAFY_SANITIZE})
endif()
