/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer of bench_alloc --locks tells instructions apart by their bytes: a kind that it misses
 * would be a lock that no table shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace.c"

#if defined(__x86_64__)

#define KIND(...) instruction_kind((const unsigned char[16]){__VA_ARGS__})

static void lock_prefix_locks(void **state)
{
    (void)state;
    assert_int_equal(KIND(0xf0, 0x0f, 0xb1, 0x0a), LOCKED);       /* lock cmpxchg %ecx,(%rdx) */
    assert_int_equal(KIND(0xf0, 0x48, 0x0f, 0xc1, 0x07), LOCKED); /* lock xadd %rax,(%rdi) */
    assert_int_equal(KIND(0x64, 0xf0, 0xff, 0x00), LOCKED);       /* lock incl %fs:(%rax) */
}

static void exchange_with_memory_locks_without_a_prefix(void **state)
{
    (void)state;
    assert_int_equal(KIND(0x87, 0x06), LOCKED);       /* xchg %eax,(%rsi) */
    assert_int_equal(KIND(0x48, 0x87, 0x06), LOCKED); /* xchg %rax,(%rsi) */
    assert_int_equal(KIND(0x86, 0x07), LOCKED);       /* xchg %al,(%rdi) */
    assert_int_equal(KIND(0x87, 0xc8), PLAIN);        /* xchg %ecx,%eax */
    assert_int_equal(KIND(0x66, 0x90), PLAIN);        /* xchg %ax,%ax */
}

static void calls_and_marks_are_seen(void **state)
{
    (void)state;
    assert_int_equal(KIND(0x0f, 0x05), SYSTEM_CALL);
    assert_int_equal(KIND(0xcc), MARK);
    assert_int_equal(KIND(0x48, 0x89, 0x07), PLAIN);       /* mov %rax,(%rdi) */
    assert_int_equal(KIND(0x0f, 0xb6, 0x87, 0xf0), PLAIN); /* movzbl 0x...f0(%rdi),%eax */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_prefix_locks),
        cmocka_unit_test(exchange_with_memory_locks_without_a_prefix),
        cmocka_unit_test(calls_and_marks_are_seen),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("1..0 # SKIP bench_alloc --locks knows x86-64 only");
    return 0;
}

#endif
