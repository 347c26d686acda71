// SPDX-License-Identifier: Apache-2.0
// runtime_c.c: the C interface of the runtime, linked header-only from C and C++ units and a
// library, and a second time against libnumafy. Machines with one node are enough: a pool knows its
// node's number.
#define _GNU_SOURCE
#include "runtime_inside.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime_parts.h"

#define NODES 4

static void on_node(const void *p, int node)
{
    assert_non_null(p);
    assert_int_equal(numafy_node_of(p), node);
}

static void fill(void *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)p)[i] = (unsigned char)(seed + i * 7);
}

static void filled(const void *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        if (((const unsigned char *)p)[i] != (unsigned char)(seed + i * 7))
            fail_msg("byte %zu of %zu is %u", i, n, ((const unsigned char *)p)[i]);
}

// --- allocation
static void test_malloc_lands_in_the_nodes_pool(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 8, 16, 100, 4096, 33000, 1 << 20, 20 << 20};
    for (int node = 0; node < NODES; node++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            char *p = numafy_malloc(node, sizes[i]);
            on_node(p, node);
            on_node(p + sizes[i] - 1, node);
            fill(p, sizes[i], 3);
            filled(p, sizes[i], 3);
            free(p);
        }
}

static void test_size_zero_gives_distinct_blocks(void **state)
{
    (void)state;
    void *a = numafy_malloc(1, 0), *b = numafy_malloc(1, 0), *c = numafy_calloc(1, 0, 8);
    on_node(a, 1);
    on_node(b, 1);
    on_node(c, 1);
    assert_ptr_not_equal(a, b);
    numafy_free(a);
    numafy_free(b);
    numafy_free(c);
    numafy_free(NULL);
}

static void test_blocks_are_aligned_for_every_type(void **state)
{
    (void)state;
    for (size_t size = 1; size < 200; size++) {
        void *p[8]; // several at once: jemalloc's 8-byte blocks are aligned to 16 every other time
        for (int i = 0; i < 8; i++) {
            p[i] = numafy_malloc(0, size);
            assert_int_equal((uintptr_t)p[i] % 16, 0);
        }
        for (int i = 0; i < 8; i++)
            free(p[i]);
    }
}

static void test_calloc_is_zero_also_when_reused(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        unsigned char *p = numafy_calloc(2, 13, 77);
        on_node(p, 2);
        for (size_t i = 0; i < 13 * 77; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, 13 * 77);
        free(p);
    }
}

static void test_overflow_and_absurd_sizes_fail_with_enomem(void **state)
{
    (void)state;
    errno = 0;
    assert_null(numafy_calloc(0, SIZE_MAX / 2, 3));
    assert_int_equal(errno, ENOMEM);
    assert_string_equal(numafy_strerror(), "count times size is larger than the address space");
    errno = 0;
    assert_null(numafy_malloc(0, SIZE_MAX));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(numafy_malloc(0, (size_t)PTRDIFF_MAX));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(numafy_aligned_alloc(0, 4096, SIZE_MAX - 4096));
    assert_int_equal(errno, ENOMEM);
    void *p = numafy_malloc(0, 10);
    errno = 0;
    assert_null(numafy_realloc(p, SIZE_MAX));
    assert_int_equal(errno, ENOMEM);
    on_node(p, 0);
    free(p);
}

// jemalloc alone, as the plain heap, keeps neither: found by tests/fuzz.
static void test_small_aligned_blocks_of_the_plain_heap(void **state)
{
    (void)state;
    for (size_t alignment = 16; alignment <= 4096; alignment *= 2)
        for (size_t size = 0; size <= 16; size += 8) {
            void *p[6] = {numafy_aligned_alloc(NUMAFY_NO_NODE, alignment, size),
                          aligned_alloc(alignment, size), memalign(alignment, size)};
            assert_int_equal(posix_memalign(&p[3], alignment, size), 0);
            p[4] = numafy_malloc(NUMAFY_NO_NODE, 8);
            p[5] = numafy_aligned_alloc(NUMAFY_NO_NODE, alignment, size);
            for (int i = 0; i < 6; i++) {
                assert_non_null(p[i]);
                assert_int_equal((uintptr_t)p[i] % (i == 4 ? 8 : alignment), 0);
            }
            for (int i = 0; i < 6; i++)
                free(p[i]);
        }
    char *p = malloc(10);
    errno = 0;
    assert_null(numafy_realloc(p, SIZE_MAX / 2));
    assert_int_equal(errno, ENOMEM);
    free(p);
}

static void test_node_ids_out_of_range_are_refused(void **state)
{
    (void)state;
    const int bad[] = {-4, 1024, 5000, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        errno = 0;
        assert_null(numafy_malloc(bad[i], 8));
        assert_int_equal(errno, EINVAL);
        assert_non_null(strstr(numafy_strerror(), "is not a node"));
    }
    void *p = numafy_malloc(1023, 8);
    on_node(p, 1023);
    free(p);
}

static void test_aligned_alloc(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= (4u << 20); alignment *= 2) {
        void *p = numafy_aligned_alloc(3, alignment, 24);
        on_node(p, 3);
        assert_int_equal((uintptr_t)p % alignment, 0);
        free(p);
    }
    const size_t bad[] = {0, 3, 24, 4097};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        errno = 0;
        assert_null(numafy_aligned_alloc(0, bad[i], 8));
        assert_int_equal(errno, EINVAL);
    }
}

static void test_posix_memalign(void **state)
{
    (void)state;
    void *p = &p;
    errno = 77;
    assert_int_equal(numafy_posix_memalign(1, &p, 4, 8), EINVAL);
    assert_int_equal(numafy_posix_memalign(1, &p, 24, 8), EINVAL);
    assert_int_equal(numafy_posix_memalign(1, &p, 64, SIZE_MAX - 64), ENOMEM);
    assert_ptr_equal(p, &p);
    assert_int_equal(numafy_posix_memalign(1, &p, 256, 100), 0);
    assert_int_equal(errno, 77);
    on_node(p, 1);
    assert_int_equal((uintptr_t)p % 256, 0);
    free(p);
}

/* P51 */
static void test_realloc_keeps_the_node_from_16_bytes_to_64_mib(void **state)
{
    (void)state;
    for (int node = 0; node < NODES; node++) {
        size_t size = 16;
        char *p = numafy_malloc(node, size);
        fill(p, size, 5);
        for (; size < (64u << 20); size *= 2) {
            p = node % 2 ? realloc(p, size * 2) : numafy_realloc(p, size * 2);
            on_node(p, node);
            filled(p, size < 65536 ? size : 65536, 5);
            fill(p, size * 2 < 65536 ? size * 2 : 65536, 5);
        }
        for (; size >= 16; size /= 4) {
            p = realloc(p, size);
            on_node(p, node);
            filled(p, size < 65536 ? size : 65536, 5);
        }
        free(p);
    }
}

static void test_realloc_of_null_and_to_zero(void **state)
{
    (void)state;
    void *p = numafy_realloc(NULL, 10);
    on_node(p, NUMAFY_NO_NODE);
    p = numafy_realloc(p, 5000);
    on_node(p, NUMAFY_NO_NODE);
    free(p);
    p = numafy_malloc(1, 10);
    assert_null(realloc(p, 0));
    p = numafy_realloc_near(NULL, NULL, 10);
    on_node(p, NUMAFY_NO_NODE);
    free(p);
}

static void test_usable_size(void **state)
{
    (void)state;
    assert_int_equal(numafy_usable_size(NULL), 0);
    for (size_t size = 1; size < 100000; size = size * 3 + 1) {
        void *p = numafy_malloc(2, size), *q = malloc(size);
        assert_true(numafy_usable_size(p) >= size);
        assert_int_equal(numafy_usable_size(p), malloc_usable_size(p));
        memset(p, 1, numafy_usable_size(p));
        assert_true(numafy_usable_size(q) >= size);
        free(p);
        free(q);
    }
}

// --- owners
static int a_global[4];

static void test_near_follows_the_owner(void **state)
{
    (void)state;
    char *owner = numafy_malloc(3, 300), *plain = malloc(300);
    int local;
    void *p = numafy_malloc_near(owner, 20), *q = numafy_calloc_near(owner + 299, 3, 7),
         *r = numafy_aligned_alloc_near(owner, 64, 20), *s = numafy_realloc_near(owner, NULL, 9);
    on_node(p, 3);
    on_node(q, 3);
    on_node(r, 3);
    on_node(s, 3);
    s = numafy_realloc_near(plain, s, 70000);
    on_node(s, 3);
    void *a = numafy_malloc_near(plain, 20), *b = numafy_malloc_near(a_global, 20),
         *c = numafy_malloc_near(&local, 20), *d = numafy_malloc_near(NULL, 20);
    on_node(a, NUMAFY_NO_NODE);
    on_node(b, NUMAFY_NO_NODE);
    on_node(c, NUMAFY_NO_NODE);
    on_node(d, NUMAFY_NO_NODE);
    void *all[] = {owner, plain, p, q, r, s, a, b, c, d};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

static int roots_in_use(void)
{
    int n = 0;
    for (int i = 0; i < NUMAFY_ROOTS; i++)
        n += numafy_pools_v3.roots[i].size != 0;
    return n;
}

static void test_roots(void **state)
{
    (void)state;
    static char area[400];
    assert_int_equal(numafy_root_add(area, sizeof area, 2), 0);
    assert_int_equal(numafy_root_add(area + 100, 50, 1), 0);
    void *p = numafy_malloc_near(area + 99, 8), *q = numafy_malloc_near(area + 149, 8),
         *r = numafy_malloc_near(area + 150, 8), *s = numafy_malloc_near(area + 400, 8);
    on_node(p, 2);
    on_node(q, 1);
    on_node(r, 2);
    on_node(s, NUMAFY_NO_NODE);
    numafy_root_remove(area + 100);
    free(q);
    q = numafy_malloc_near(area + 120, 8);
    on_node(q, 2);
    numafy_root_remove(area);
    free(p);
    p = numafy_malloc_near(area, 8);
    on_node(p, NUMAFY_NO_NODE);
    free(p), free(q), free(r), free(s);
}

static void test_roots_refuse_nonsense_and_end_at_64(void **state)
{
    (void)state;
    static char area[100];
    assert_int_equal(numafy_root_add(area, 0, 1), -EINVAL);
    assert_int_equal(numafy_root_add(NULL, 8, 1), -EINVAL);
    assert_int_equal(numafy_root_add(area, 8, 5000), -EINVAL);
    const int free_entries = 64 - roots_in_use();
    for (int i = 0; i < free_entries; i++)
        assert_int_equal(numafy_root_add(area + i, 1, 1), 0);
    assert_int_equal(numafy_root_add(area + 64, 1, 1), -ENOSPC);
    assert_string_equal(numafy_strerror(), "there are 64 roots already");
    for (int i = 0; i < free_entries; i++)
        numafy_root_remove(area + i);
    assert_int_equal(numafy_root_add(area, 1, 1), 0);
    numafy_root_remove(area);
}

static struct {
    int a[10];
} named, named_row[3];
static __thread int named_own[5];
NUMAFY_ROOT_GLOBAL(named, 2)
NUMAFY_ROOT_GLOBAL(named_row, 1) NUMAFY_ROOT_GLOBAL(named_own, 2)

    static void near_is(const volatile void *owner, int node)
{
    void *p = numafy_malloc_near(owner, 8);
    on_node(p, node);
    free(p);
}

static void *named_own_elsewhere(void *of_main)
{
    near_is(&named_own[1], 2);
    near_is(of_main, NUMAFY_NO_NODE);
    return NULL;
}

static void test_global_roots_by_name(void **state)
{
    (void)state;
    pthread_t other;
    near_is(&named, 2);
    near_is((char *)&named + sizeof named - 1, 2);
    near_is(&named_row[2].a[9], 1);
    near_is(&named_own[4], 2);
    pthread_create(&other, NULL, named_own_elsewhere, named_own);
    pthread_join(other, NULL);
}

static const volatile void *named_static, *named_thread;

static void *named_objects(void *depth)
{
    int local[4];
    static int kept[4];
    static __thread int own[4];
    NUMAFY_ROOT_OBJECT(local, 1);
    NUMAFY_ROOT_OBJECT(kept, 2);
    NUMAFY_ROOT_OBJECT(own, 1);
    near_is(&local[3], 1);
    near_is(&kept[3], 2);
    near_is(&own[3], 1);
    if (depth) /* a deeper one ends before this one */
        named_objects((char *)depth - 1);
    near_is(local, 1);
    for (int i = 0; i < 2; i++) {
        long inner;
        NUMAFY_ROOT_OBJECT(inner, i);
        near_is(&inner, i);
    }
    named_static = kept;
    named_thread = own;
    return NULL;
}

/* There are 64 entries: all these passes leave only two. */
static void test_local_roots_by_name(void **state)
{
    (void)state;
    const int before = roots_in_use();
    pthread_t thread[3];
    for (size_t i = 0; i < 100; i++)
        named_objects((char *)NULL + i % 3);
    near_is(named_static, 2);
    near_is(named_thread, 1);
    assert_int_equal(roots_in_use(), before + 2);
    for (size_t i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, named_objects, (char *)NULL + 3);
    for (size_t i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(roots_in_use(), before + 2);
}

// --- the ambient node
static void test_scope_moves_what_libraries_allocate(void **state)
{
    (void)state;
    char *line = NULL, *text = NULL;
    size_t room = 0;
    void *p = NULL;
    {
        NUMAFY_SCOPE_NODE(2);
        void *a = malloc(10), *b = calloc(3, 5), *c = strdup("hello"), *d = aligned_alloc(64, 64),
             *e = memalign(32, 10), *f = reallocarray(NULL, 3, 9), *g = valloc(10),
             *h = realloc(NULL, 10), *i = pvalloc(10);
        void *all[] = {a, b, c, d, e, f, g, h, i};
        for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) {
            on_node(all[n], 2);
            free(all[n]);
        }
        assert_int_equal(posix_memalign(&p, 128, 10), 0);
        on_node(p, 2);
        assert_true(asprintf(&text, "%d", 42) > 0);
        on_node(text, 2);
        FILE *file = fopen("/proc/self/status", "r");
        assert_non_null(file);
        assert_true(getline(&line, &room, file) > 0);
        fclose(file);
        on_node(line, 2);
        volatile size_t much = SIZE_MAX / 2;
        assert_null(reallocarray(NULL, much, 3));
    }
    free(p), free(text), free(line);
    p = malloc(10);
    on_node(p, NUMAFY_NO_NODE);
    free(p);
}

static void scoped(const void *owner, int expected)
{
    NUMAFY_SCOPE(owner);
    void *p = malloc(10);
    on_node(p, expected);
    free(p);
}

static void test_scope_follows_near_but_keeps_at_stack_and_null(void **state)
{
    (void)state;
    void *owner = numafy_malloc(3, 8), *plain = malloc(8);
    int local = 0;
    scoped(owner, 3);
    scoped(&local, NUMAFY_NO_NODE);
    NUMAFY_SCOPE_NODE(1);
    scoped(owner, 3);
    scoped(&local, 1);
    scoped(NULL, 1);
    scoped(plain, NUMAFY_NO_NODE);
    scoped(a_global, NUMAFY_NO_NODE);
    void *p = malloc(8), *q = numafy_malloc_near(&local, 8), *r = numafy_malloc_near(NULL, 8),
         *s = numafy_malloc_near(plain, 8), *t = numafy_malloc(NUMAFY_NO_NODE, 8);
    on_node(p, 1);
    on_node(q, 1);
    on_node(r, 1);
    on_node(s, NUMAFY_NO_NODE);
    on_node(t, NUMAFY_NO_NODE);
    free(p), free(q), free(r), free(s), free(t), free(owner), free(plain);
}

static void *factory(void)
{
    return malloc(20);
}
static void factory_out(void **out)
{
    *out = malloc(20);
}
static int factory_int(void **out)
{
    *out = malloc(20);
    return -7;
}
static void *factory_of(const void *inner)
{
    void *p = (numafy_enter(inner), numafy_leave(malloc(20)));
    on_node(p, 2);
    free(p);
    return malloc(20);
}

static void test_enter_and_leave_around_calls(void **state)
{
    (void)state;
    void *owner = numafy_malloc(1, 8), *other = numafy_malloc(2, 8), *p, *q, *r, *s;
    p = (numafy_enter(owner), numafy_leave(factory()));
    (numafy_enter(owner), factory_out(&q), (void)numafy_leave(0));
    assert_int_equal((numafy_enter(owner), (int)numafy_leave_int(factory_int(&r))), -7);
    s = (numafy_enter(owner), numafy_leave(factory_of(other)));
    on_node(p, 1);
    on_node(q, 1);
    on_node(r, 1);
    on_node(s, 1);
    free(p), free(q), free(r), free(s);
    p = ((void)numafy_enter_on(3), numafy_leave(factory_of(other)));
    ((void)numafy_enter_on(NUMAFY_INTERLEAVE), (void)factory_out(&q), (void)numafy_leave(0));
    ((void)numafy_enter_on(2), (void)numafy_leave_int(factory_int(&r)));
    s = ((void)numafy_enter_on(3),
         numafy_leave(((void)numafy_enter_on(NUMAFY_NO_NODE), numafy_leave(factory()))));
    on_node(p, 3);
    on_node(q, NUMAFY_INTERLEAVE);
    on_node(r, 2);
    on_node(s, NUMAFY_NO_NODE);
    free(p), free(q), free(r), free(s);
    assert_int_equal((numafy_enter)(owner), NUMAFY_NO_NODE);
    assert_int_equal((numafy_enter_on)(2), 1);
    p = factory();
    on_node(p, 2);
    free(p);
    numafy_leave(NULL);
    p = factory();
    on_node(p, 1);
    free(p);
    numafy_leave(NULL);
    p = factory();
    on_node(p, NUMAFY_NO_NODE);
    free(p), free(owner), free(other);
    numafy_leave(NULL); // one too many does nothing
}

static jmp_buf back;
static volatile int jump = 1;
static __attribute__((noinline)) void *jump_out(const void *owner, int depth)
{
    if (depth < -1)
        return NULL;
    if (!depth && jump)
        longjmp(back, 1);
    void *p = depth % 2 ? (numafy_enter(owner), numafy_leave(jump_out(owner, depth - 1)))
                        : (numafy_enter_on(2), numafy_leave(jump_out(owner, depth - 1)));
    return (char *)p + 1; // not in tail position
}

static void test_longjmp_leaves_no_entry_behind(void **state)
{
    (void)state;
    void *volatile owner = numafy_malloc(1, 8);
    void *volatile outer = numafy_malloc(3, 8);
    numafy_enter(outer);
    if (!setjmp(back))
        jump_out(owner, 100);
    void *p = (numafy_enter(owner), numafy_leave(factory())), *q = factory();
    on_node(p, 1);
    on_node(q, 3);
    numafy_leave(NULL);
    void *r = factory();
    on_node(r, NUMAFY_NO_NODE);
    assert_int_equal(numafy_tls_v3->depth, 0);
    free(p), free(q), free(r), free(owner), free(outer);
}

static int recurse(const void *owner, int depth)
{
    if (!depth)
        return 0;
    return (numafy_enter(owner), (int)numafy_leave_int(recurse(owner, depth - 1))) + 1;
}

static void test_entries_have_no_bound(void **state)
{
    (void)state;
    void *owner = numafy_malloc(1, 8);
    assert_int_equal(recurse(owner, 20000), 20000);
    assert_int_equal(numafy_tls_v3->depth, 0);
    assert_int_equal(numafy_tls_v3->ambient, 0);
    free(owner);
}

// --- node arguments
static void test_local_and_interleave_are_node_arguments(void **state)
{
    (void)state;
    char *p = numafy_malloc(NUMAFY_LOCAL, 100), *q = numafy_malloc(NUMAFY_INTERLEAVE, 100);
    assert_true(numafy_node_of(p) >= 0);
    on_node(q, NUMAFY_INTERLEAVE);
    void *r = numafy_malloc_near(q, 8);
    on_node(r, NUMAFY_INTERLEAVE);
    q = realloc(q, 1 << 20);
    on_node(q, NUMAFY_INTERLEAVE);
    NUMAFY_SCOPE_NODE(NUMAFY_INTERLEAVE);
    void *s = malloc(8);
    on_node(s, NUMAFY_INTERLEAVE);
    free(p), free(q), free(r), free(s);
}

static void test_resident_node_asks_the_kernel(void **state)
{
    (void)state;
    char *p = numafy_malloc(1, 8 << 20);
    p[0] = 1;
    const int node = numafy_resident_node(p);
    if (node < 0)
        fail_msg("the kernel says %d of a touched page", node);
    if (!numafy_huge_v3.page) // else pages are there before anybody writes to them
        assert_int_equal(numafy_resident_node(p + (4 << 20)), -ENOENT);
    assert_int_equal(numafy_resident_node(NULL), -EFAULT);
    free(p);
}

static void test_thread_bind(void **state)
{
    (void)state;
    assert_int_equal(numafy_thread_bind(-1), -EINVAL);
    assert_int_equal(numafy_thread_bind(4096), -EINVAL);
    assert_int_equal(numafy_thread_bind(0), 0);
    assert_int_equal(numafy_thread_bind(9), 0); // no such node: the nearest with CPUs
}

// --- frees
// gcc warns at a malloc'ed block that nothing has written to if it takes the question for a read.
static void test_a_fresh_block_may_be_asked_for_its_node(void **state)
{
    (void)state;
    void *p = malloc(10);
    assert_int_equal(numafy_node_of(p), NUMAFY_NO_NODE);
    assert_true(numafy_resident_node(p) > -200);
    free(p);
}

static void test_blocks_of_libc_are_freed_by_libc(void **state)
{
    (void)state;
    char *line = NULL, *text = NULL, *copy = strdup("plain");
    size_t room = 0;
    void *aligned = NULL;
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    assert_true(getline(&line, &room, file) > 0);
    fclose(file);
    assert_true(asprintf(&text, "%s", copy) > 0);
    assert_int_equal(posix_memalign(&aligned, 4096, 100), 0);
    void *all[] = {line, text, copy, aligned, malloc(10), calloc(2, 4)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        on_node(all[i], NUMAFY_NO_NODE);
        if (i % 2)
            numafy_free(all[i]);
        else
            free(all[i]);
    }
}

static void test_units_and_libraries_share_one_runtime(void **state)
{
    (void)state;
    assert_ptr_equal(lib_state(), &numafy_state_v3);
    assert_ptr_equal(lib_tls(), &numafy_tls_v3);
    assert_ptr_equal(part_c_state(), &numafy_state_v3);
    assert_ptr_equal(part_cxx_state(), &numafy_state_v3);
    void *p = lib_alloc(2, 50), *q = numafy_malloc(2, 50), *r = part_c_alloc(1, 8),
         *s = part_cxx_new(3);
    on_node(p, 2);
    on_node(r, 1);
    on_node(s, 3);
    part_c_free(p);
    lib_free(q);
    part_cxx_delete(s);
    part_cxx_sized_delete(r, 8);
    NUMAFY_SCOPE_NODE(1);
    p = lib_plain(20);
    on_node(p, 1);
    q = part_cxx_plain_new();
    on_node(q, 1);
    part_cxx_sized_delete(p, 20); // a C++ free of a C block of ours, sized: by address
    lib_free(q);
}

static void test_a_free_goes_back_to_the_pool(void **state)
{
    (void)state;
    void *p[1000];
    numafy_thread_flush();
    const size_t before = inside_live(2);
    for (int i = 0; i < 1000; i++)
        p[i] = numafy_malloc(2, 256);
    numafy_thread_flush();
    assert_true(inside_live(2) >= before + 1000 * 256);
    for (int i = 0; i < 1000; i++)
        i % 2 ? free(p[i]) : lib_free(p[i]);
    numafy_thread_flush();
    assert_int_equal(inside_live(2), before);
}

static void test_purge_returns_pages(void **state)
{
    (void)state;
    char *p = numafy_malloc(1, 16 << 20);
    memset(p, 1, 16 << 20);
    const uintptr_t inside = (uintptr_t)p + (8 << 20);
    assert_true(numafy_resident_node((void *)inside) >= 0);
    free(p);
    numafy_purge(1);
    assert_int_equal(numafy_resident_node((void *)inside), -ENOENT);
    numafy_purge(5000); // refused without harm
    p = numafy_malloc(1, 16 << 20);
    assert_int_equal(p[8 << 20], 0);
    free(p);
}

static void test_plain_malloc_stays_out_of_the_pools(void **state)
{
    (void)state;
    unsigned arena = 0;
    size_t len = sizeof arena;
    for (int node = 0; node < NODES; node++)
        free(numafy_malloc(node, 40)); // binds this thread to every pool
    for (int i = 0; i < 100; i++) {
        void *p = malloc(40);
        on_node(p, NUMAFY_NO_NODE);
        assert_int_equal(numafy_je_mallctl_("arenas.lookup", &arena, &len, (void *)&p, sizeof p),
                         0);
        for (unsigned s = 1; s <= numafy_pools_v3.slots; s++)
            for (unsigned k = 0; k < NUMAFY_SHARDS_MAX; k++)
                assert_int_not_equal((arena + 1) << 20,
                                     numafy_pools_v3.slot[s].shard[k].uncached_flags & ~0xfffff);
        free(p);
    }
}

static void test_stats(void **state)
{
    (void)state;
    char text[8192], small[10];
    void *p = numafy_malloc(1, 100);
    const int n = numafy_stats_json(text, sizeof text);
    assert_int_equal(n, (int)strlen(text));
    assert_non_null(strstr(text, "\"pools\":\"on\""));
    assert_non_null(strstr(text, "{\"node\":1,\"mapped\":"));
    assert_true(numafy_stats_json(small, sizeof small) >= n - 40);
    assert_int_equal(strlen(small), sizeof small - 1);
    assert_memory_equal(small, text, sizeof small - 1);
    assert_true(numafy_stats_json(NULL, 0) >= n - 40);
    free(p);
}

// --- threads
static void *short_life(void *arg)
{
    void *p[20];
    for (int i = 0; i < 20; i++)
        p[i] = numafy_malloc(i % NODES, 48);
    for (int i = 0; i < 20; i++)
        free(p[i]);
    return numafy_malloc((int)(intptr_t)arg % NODES, 64);
}

static void test_two_thousand_threads_leave_nothing(void **state)
{
    (void)state;
    size_t before[NODES];
    numafy_thread_flush();
    for (int round = 0; round < 2; round++) {
        for (int node = 0; node < NODES; node++)
            before[node] = inside_live(node);
        const size_t tcaches = numafy_pools_v3.tcaches, threads = numafy_pools_v3.threads;
        for (int i = 0; i < 1000; i++) {
            pthread_t t;
            void *p;
            assert_int_equal(pthread_create(&t, NULL, short_life, (void *)(intptr_t)i), 0);
            pthread_join(t, &p);
            on_node(p, i % NODES);
            free(p);
        }
        numafy_thread_flush();
        assert_int_equal(numafy_pools_v3.tcaches, tcaches);
        assert_int_equal(numafy_pools_v3.threads, threads);
        if (round) // the first round makes arenas
            for (int node = 0; node < NODES; node++)
                assert_int_equal(inside_live(node), before[node]);
    }
    for (unsigned s = 1; s <= numafy_pools_v3.slots; s++)
        assert_int_equal(numafy_pools_v3.slot[s].uncached, 0);
}

static pthread_key_t late_key;
static int late_bad;
static void late_destructor(void *p)
{
    // The block goes home. jemalloc has ended this thread: a new one comes from the plain heap.
    char *q, *r = malloc(10);
    late_bad += numafy_node_of(p) != 1 || numafy_tls_v3 != &numafy_latethread_v3;
    p = realloc(p, 5000);
    late_bad += numafy_node_of(p) != 1;
    free(p);
    q = numafy_malloc(2, 100);
    late_bad += !q || numafy_node_of(q) != NUMAFY_NO_NODE || numafy_usable_size(q) < 100;
    fill(q, 100, 1);
    q = realloc(q, 100000);
    late_bad += !q || q[99] != (char)(1 + 99 * 7);
    free(q), free(r);
}
static void *late_life(void *arg)
{
    (void)arg;
    pthread_setspecific(late_key, numafy_malloc(1, 60));
    return NULL;
}

static void test_destructors_after_ours_still_work(void **state)
{
    (void)state;
    free(numafy_malloc(2, 100)); // our key exists: the test's comes later, its destructor too
    assert_int_equal(pthread_key_create(&late_key, late_destructor), 0);
    numafy_thread_flush();
    for (int round = 0; round < 2; round++) {
        const size_t one = inside_live(1), two = inside_live(2);
        for (int i = 0; i < 200; i++) {
            pthread_t t;
            assert_int_equal(pthread_create(&t, NULL, late_life, NULL), 0);
            pthread_join(t, NULL);
        }
        if (round) {
            assert_int_equal(inside_live(1), one);
            assert_int_equal(inside_live(2), two);
        }
    }
    assert_int_equal(late_bad, 0);
    pthread_key_delete(late_key);
}

static int traffic_stop;
static void *traffic(void *arg)
{
    unsigned seed = (unsigned)(intptr_t)arg;
    void *p[64] = {NULL};
    while (!__atomic_load_n(&traffic_stop, __ATOMIC_RELAXED)) {
        seed = seed * 1103515245 + 12345;
        const unsigned i = seed >> 16 & 63;
        free(p[i]);
        p[i] =
            seed & 0x400000 ? malloc(seed >> 20) : numafy_malloc((int)(seed >> 8 & 3), seed >> 20);
    }
    for (int i = 0; i < 64; i++)
        free(p[i]);
    return NULL;
}

static int child_of_fork(void)
{
    alarm(60);
    for (int i = 0; i < 2000; i++) {
        void *p = numafy_malloc(i % NODES, (size_t)i * 5 + 1);
        if (numafy_node_of(p) != i % NODES)
            return 2;
        free(p);
    }
    pthread_t t;
    void *p;
    if (pthread_create(&t, NULL, short_life, (void *)1) || pthread_join(t, &p) ||
        numafy_node_of(p) != 1)
        return 3;
    free(p);
    return 0;
}

// The pool of node 5 is new in the child: what makes it must not trip over a list that the purge of
// an inherited pool has left behind.
static void test_purge_in_a_forks_child(void **state)
{
    (void)state;
    void *p[500];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 500; i++)
            p[i] = numafy_malloc(1, 64);
        for (int i = 0; i < 500; i++)
            free(p[i]);
        numafy_thread_flush();
        numafy_purge(1);
    }
    free(numafy_malloc(1, 64));
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        numafy_thread_flush();
        numafy_purge(1);
        for (int node = 1; node < 7; node++) {
            p[node] = numafy_malloc(node, 64);
            memset(p[node], 1, 64);
        }
        _exit(numafy_node_of(p[5]) == 5 && numafy_node_of(p[1]) == 1 ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_fork_under_traffic(void **state)
{
    (void)state;
    pthread_t t[3];
    __atomic_store_n(&traffic_stop, 0, __ATOMIC_RELAXED);
    for (intptr_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&t[i], NULL, traffic, (void *)(i + 1)), 0);
    for (int i = 0; i < 20; i++) {
        const pid_t pid = fork();
        assert_true(pid >= 0);
        if (!pid)
            _exit(child_of_fork());
        int status = 0;
        waitpid(pid, &status, 0);
        assert_int_equal(status, 0);
    }
    __atomic_store_n(&traffic_stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}

static void *ask_reason(void *arg)
{
    (void)arg;
    return (void *)(uintptr_t)numafy_strerror();
}

static void test_reason_is_per_thread_and_starts_empty(void **state)
{
    (void)state;
    pthread_t t;
    void *text;
    assert_null(numafy_malloc(5000, 1));
    assert_int_equal(pthread_create(&t, NULL, ask_reason, NULL), 0);
    pthread_join(t, &text);
    assert_string_equal((char *)text, "no error");
    assert_non_null(strstr(numafy_strerror(), "5000"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_malloc_lands_in_the_nodes_pool),
        cmocka_unit_test(test_size_zero_gives_distinct_blocks),
        cmocka_unit_test(test_blocks_are_aligned_for_every_type),
        cmocka_unit_test(test_calloc_is_zero_also_when_reused),
        cmocka_unit_test(test_overflow_and_absurd_sizes_fail_with_enomem),
        cmocka_unit_test(test_small_aligned_blocks_of_the_plain_heap),
        cmocka_unit_test(test_node_ids_out_of_range_are_refused),
        cmocka_unit_test(test_aligned_alloc),
        cmocka_unit_test(test_posix_memalign),
        cmocka_unit_test(test_realloc_keeps_the_node_from_16_bytes_to_64_mib),
        cmocka_unit_test(test_realloc_of_null_and_to_zero),
        cmocka_unit_test(test_usable_size),
        cmocka_unit_test(test_near_follows_the_owner),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_global_roots_by_name),
        cmocka_unit_test(test_local_roots_by_name),
        cmocka_unit_test(test_roots_refuse_nonsense_and_end_at_64),
        cmocka_unit_test(test_scope_moves_what_libraries_allocate),
        cmocka_unit_test(test_scope_follows_near_but_keeps_at_stack_and_null),
        cmocka_unit_test(test_enter_and_leave_around_calls),
        cmocka_unit_test(test_longjmp_leaves_no_entry_behind),
        cmocka_unit_test(test_entries_have_no_bound),
        cmocka_unit_test(test_local_and_interleave_are_node_arguments),
        cmocka_unit_test(test_resident_node_asks_the_kernel),
        cmocka_unit_test(test_a_fresh_block_may_be_asked_for_its_node),
        cmocka_unit_test(test_blocks_of_libc_are_freed_by_libc),
        cmocka_unit_test(test_units_and_libraries_share_one_runtime),
        cmocka_unit_test(test_a_free_goes_back_to_the_pool),
        cmocka_unit_test(test_purge_returns_pages),
        cmocka_unit_test(test_plain_malloc_stays_out_of_the_pools),
        cmocka_unit_test(test_stats),
        cmocka_unit_test(test_two_thousand_threads_leave_nothing),
        cmocka_unit_test(test_destructors_after_ours_still_work),
        cmocka_unit_test(test_fork_under_traffic),
        cmocka_unit_test(test_purge_in_a_forks_child),
        cmocka_unit_test(test_reason_is_per_thread_and_starts_empty),
        cmocka_unit_test(test_thread_bind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
