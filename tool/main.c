/* SPDX-License-Identifier: Apache-2.0 */
/* numafy-rewrite: options to a struct, one call, exit code. No logic. */
#include "pipeline.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct options o = {0};
    struct strbuf err = {0};
    enum exit_code code = EXIT_USAGE;
    if (!options_parse(&o, argc, argv, &err)) {
        code = EXIT_DONE;
        if (o.help)
            fputs(options_usage(), stdout);
        else if (o.version)
            puts("numafy-rewrite " NUMAFY_VERSION);
        else
            code = pipeline_run(&o, argc, argv, &err);
    }
    if (err.len)
        diag_error(stderr, "%s", strbuf_str(&err));
    strbuf_release(&err);
    options_release(&o);
    return fflush(stdout) ? EXIT_WRITE : (int)code;
}
