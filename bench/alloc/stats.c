/* SPDX-License-Identifier: Apache-2.0 */
/* Medians and their spread. Pure. */
#include <stdlib.h>

#include "bench.h"

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

struct bench_spread bench_spread_of(double *values, size_t count)
{
    struct bench_spread spread = {bench_median(values, count), 0, 0};
    if (count != 0) {
        spread.low = values[0];
        spread.high = values[count - 1];
    }
    return spread;
}

struct bench_spread bench_ratio(const double *a, const double *b, size_t count)
{
    double ratios[BENCH_MAX_ROUNDS];
    size_t used = 0;
    for (size_t i = 0; i < count && i < BENCH_MAX_ROUNDS; i++)
        if (b[i] > 0)
            ratios[used++] = a[i] / b[i];
    return bench_spread_of(ratios, used);
}
