// SPDX-License-Identifier: Apache-2.0
// Which variant of the suite this program is.
#ifndef ALLOCATOR_TEST_BUILD_HPP
#define ALLOCATOR_TEST_BUILD_HPP

#include <string>

std::string build_text();     // for people
std::string build_jemalloc(); // jemalloc's version, "none" without one

#endif
