/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NUMAFY_TOOL_PIPELINE_H
#define NUMAFY_TOOL_PIPELINE_H

#include "diag.h"
#include "options.h"

/* Does what the options ask for; argc and argv go into the manifest. Diagnostics go to stderr, the
 * summary and the diff to stdout, an error that ends the run into err (one line). */
enum exit_code pipeline_run(struct options *o, int argc, char **argv, struct strbuf *err);

#endif
