/* SPDX-License-Identifier: Apache-2.0 */
/* The head of the parsing part: options to the parts that know libclang. See parser.h. */
#include "collect.h"
#include "index.h"
#include "parser.h"

static void scan_unit(const struct compdb_unit *unit, const struct options *o,
                      struct fact_unit *facts)
{
    struct index_tu ix;
    struct collect_options co = {.argv = &unit->argv,
                                 .runtime = o->runtime,
                                 .tree = o->tree,
                                 .skip = options_skip(o),
                                 .all_variables = o->roots.count > 0,
                                 .hide = o->hide};
    if (index_open(&ix, unit, *o->runtime ? o->runtime : NULL, facts))
        return;
    /* The process ends right after: taking the tree down node by node would be wasted. */
    collect_unit(ix.tu, ix.cxx, &co, facts);
}

__attribute__((visibility("default"))) extern const struct parser_part PARSER_PART_SYMBOL;
const struct parser_part PARSER_PART_SYMBOL = {index_version, scan_unit};
