/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmark's medians and ratios: a wrong one would be believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"

static void median_of_odd_count(void **state)
{
    (void)state;
    double values[] = {9, 1, 5};
    assert_float_equal(bench_median(values, 3), 5, 0);
}

static void median_of_even_count_is_the_mean_of_the_middle(void **state)
{
    (void)state;
    double values[] = {10, 1, 4, 2};
    assert_float_equal(bench_median(values, 4), 3, 0);
}

static void median_of_one_and_of_none(void **state)
{
    (void)state;
    double value = 7;
    assert_float_equal(bench_median(&value, 1), 7, 0);
    assert_float_equal(bench_median(&value, 0), 0, 0);
}

static void ratio_is_taken_within_each_round(void **state)
{
    (void)state;
    /* The machine was twice as slow in round 2 and three times in round 3: each ratio is 2. The
     * ratio of the medians would be 2 as well, hence the third pair of arrays. */
    const double a[] = {2, 4, 6}, b[] = {1, 2, 3};
    struct bench_spread x = bench_ratio(a, b, 3);
    assert_float_equal(x.median, 2, 0);
    assert_float_equal(x.low, 2, 0);
    assert_float_equal(x.high, 2, 0);

    const double c[] = {1, 10, 6}, d[] = {10, 1, 2};
    x = bench_ratio(c, d, 3); /* ratios 0.1, 10, 3; of the medians 6 / 2 = 3 */
    assert_float_equal(x.median, 3, 1e-12);
    assert_float_equal(x.low, 0.1, 1e-12);
    assert_float_equal(x.high, 10, 1e-12);

    const double e[] = {4, 10, 6}, f[] = {8, 1, 2};
    x = bench_ratio(e, f, 2); /* ratios 0.5 and 10 */
    assert_float_equal(x.median, 5.25, 1e-12);
}

static void ratio_leaves_out_a_round_without_reference(void **state)
{
    (void)state;
    const double a[] = {2, 4}, b[] = {0, 2};
    const struct bench_spread x = bench_ratio(a, b, 2);
    assert_float_equal(x.median, 2, 0);
    assert_float_equal(x.high, 2, 0);
}

static void spread_of_nothing_is_zero(void **state)
{
    (void)state;
    const struct bench_spread x = bench_spread_of(NULL, 0);
    assert_float_equal(x.median, 0, 0);
    assert_float_equal(x.low, 0, 0);
    assert_float_equal(x.high, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_of_odd_count),
        cmocka_unit_test(median_of_even_count_is_the_mean_of_the_middle),
        cmocka_unit_test(median_of_one_and_of_none),
        cmocka_unit_test(ratio_is_taken_within_each_round),
        cmocka_unit_test(ratio_leaves_out_a_round_without_reference),
        cmocka_unit_test(spread_of_nothing_is_zero),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
