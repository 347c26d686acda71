// SPDX-License-Identifier: Apache-2.0
// The two kinds of structures that main can run.
#ifndef DATA_STRUCTURES_RUN_HPP
#define DATA_STRUCTURES_RUN_HPP

#include "options.hpp"
#include "report.hpp"

void run_trees(const Options &options, Result &result);
void run_lists(const Options &options, Result &result);

#endif
