// SPDX-License-Identifier: Apache-2.0
// The check of what placed objects allocate themselves: right in a rewritten copy of the suite.
#ifndef VERIFY_ALLOCATOR_OWNERS_HPP
#define VERIFY_ALLOCATOR_OWNERS_HPP

#include "checks.hpp"

Verdict owners_run(const Options &options);

#endif
