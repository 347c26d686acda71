// SPDX-License-Identifier: Apache-2.0
// runtime_iso.c: the allocation functions by the clauses of ISO C (7.22.3 in C11, 7.24.3 in C23)
// and of POSIX, for every way to call them: on a node, near an owner, the replaced names with and
// without an ambient node, the plain heap. What these standards leave open is held to what
// docs/runtime.md says. Each case is run for each way.
//
// Built also with NUMAFY_EXTERN, NUMAFY_OFF and NUMAFY_NO_REPLACE, and run by
// tests/python/test_runtime_variants.py over other allocators.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(NUMAFY_OFF)
#define POOLS 0
#define REPLACED 0
#elif defined(NUMAFY_NO_REPLACE)
#define POOLS 1
#define REPLACED 0
#else
#define POOLS 1
#define REPLACED 1
#endif

// --- the ways to allocate
// The node of a way, its owner, and whether the replaced names are used.
struct way {
    const char *name;
    int node;
    void *owner;
    int replaced;
};

static const struct way *way; // the one that a case runs for

// Compilers know what malloc does and drop or warn of what this file does on purpose.
static void *hide(void *p)
{
    __asm__ volatile("" : "+r"(p) : : "memory");
    return p;
}
static size_t unknown(size_t n)
{
    __asm__ volatile("" : "+r"(n));
    return n;
}

static void *way_malloc(size_t size)
{
    size = unknown(size);
    NUMAFY_SCOPE_NODE(way->replaced ? way->node : NUMAFY_NO_NODE);
    return hide(way->replaced ? malloc(size)
                : way->owner  ? numafy_malloc_near(way->owner, size)
                              : numafy_malloc(way->node, size));
}
static void *way_calloc(size_t count, size_t size)
{
    count = unknown(count);
    NUMAFY_SCOPE_NODE(way->replaced ? way->node : NUMAFY_NO_NODE);
    return hide(way->replaced ? calloc(count, size)
                : way->owner  ? numafy_calloc_near(way->owner, count, size)
                              : numafy_calloc(way->node, count, size));
}
static void *way_aligned_alloc(size_t alignment, size_t size)
{
    alignment = unknown(alignment);
    NUMAFY_SCOPE_NODE(way->replaced ? way->node : NUMAFY_NO_NODE);
    return hide(way->replaced ? aligned_alloc(alignment, size)
                : way->owner  ? numafy_aligned_alloc_near(way->owner, alignment, size)
                              : numafy_aligned_alloc(way->node, alignment, size));
}
// POSIX has it; there is none that takes an owner.
static int way_posix_memalign(void **out, size_t alignment, size_t size)
{
    alignment = unknown(alignment);
    NUMAFY_SCOPE_NODE(way->replaced ? way->node : NUMAFY_NO_NODE);
    return way->replaced ? posix_memalign(out, alignment, size)
                         : numafy_posix_memalign(way->node, out, alignment, size);
}
static void *way_realloc(void *p, size_t size)
{
    size = unknown(size);
    NUMAFY_SCOPE_NODE(way->replaced ? way->node : NUMAFY_NO_NODE);
    return hide(way->replaced ? realloc(p, size)
                : way->owner  ? numafy_realloc_near(way->owner, p, size)
                              : numafy_realloc(p, size));
}
static void way_free(void *p)
{
    if (way->replaced)
        free(p);
    else
        numafy_free(p);
}

// A block must be where the way says. NUMAFY_LOCAL is some node; nothing is promised without pools.
static void placed(const void *p)
{
    assert_non_null(p);
#if POOLS
    if (way->node == NUMAFY_LOCAL)
        assert_in_range(numafy_node_of(p), 0, 1023);
    else
        assert_int_equal(numafy_node_of(p), way->node);
#endif
}

static void each_way(void (*body)(void))
{
    static char plain_owner;
    const struct way ways[] = {
        {"numafy_malloc(0)", 0, NULL, 0},
        {"numafy_malloc(3)", 3, NULL, 0},
        {"numafy_malloc(NUMAFY_LOCAL)", NUMAFY_LOCAL, NULL, 0},
        {"numafy_malloc(NUMAFY_INTERLEAVE)", NUMAFY_INTERLEAVE, NULL, 0},
        {"numafy_malloc(NUMAFY_NO_NODE)", NUMAFY_NO_NODE, NULL, 0},
        {"numafy_malloc_near(a block on 2)", 2, numafy_malloc(2, 1), 0},
        {"numafy_malloc_near(a static object)", NUMAFY_NO_NODE, &plain_owner, 0},
#if REPLACED // else they are somebody else's
        {"malloc", NUMAFY_NO_NODE, NULL, 1},
        {"malloc in a scope of node 1", 1, NULL, 1},
        {"malloc in an interleaved scope", NUMAFY_INTERLEAVE, NULL, 1},
#endif
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        way = &ways[i];
        print_message("# %s\n", way->name);
        body();
    }
    numafy_free(ways[5].owner);
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
            fail_msg("%s: byte %zu of %zu is %u", way->name, i, n, ((const unsigned char *)p)[i]);
}

// --- 7.24.3 p1: general
// "suitably aligned so that it may be assigned to a pointer to any type of object with a
// fundamental alignment requirement and size less than or equal to the size requested"
static void fundamental_alignment(void)
{
    for (size_t size = 1; size <= 100000; size += size < 70 ? 1 : size) {
        size_t fits = 1;
        while (fits * 2 <= size && fits * 2 <= alignof(max_align_t))
            fits *= 2;
        void *p[6];
        for (int i = 0; i < 6; i++) {
            p[i] = i % 2 ? way_malloc(size) : way_calloc(1, size);
            placed(p[i]);
            assert_int_equal((uintptr_t)p[i] % fits, 0);
        }
        for (int i = 0; i < 6; i++)
            way_free(p[i]);
    }
}
static void test_blocks_are_aligned_for_what_fits_into_them(void **state)
{
    (void)state;
    each_way(fundamental_alignment);
}

// "Each such allocation shall yield a pointer to an object disjoint from any other object."
enum { BLOCKS = 600 };
static void disjoint(void)
{
    static unsigned char *p[BLOCKS];
    static size_t size[BLOCKS];
    for (unsigned i = 0; i < BLOCKS; i++) {
        size[i] = i * i % 5000;
        p[i] = i % 3 ? way_malloc(size[i]) : way_aligned_alloc(64, size[i]);
        placed(p[i]);
        fill(p[i], size[i], i);
        if (i % 4 == 3) { // some are freed and others take their place
            way_free(p[i - 2]);
            p[i - 2] = way_malloc(size[i - 2]);
            fill(p[i - 2], size[i - 2], i - 2);
        }
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        filled(p[i], size[i], i);
    for (unsigned i = 0; i < BLOCKS; i++)
        way_free(p[i]);
}
static void test_blocks_are_disjoint(void **state)
{
    (void)state;
    each_way(disjoint);
}

// "If the size of the space requested is zero, the behavior is implementation-defined": a block of
// its own, which may be freed and resized.
static void zero_size(void)
{
    void *p[12], *out = NULL;
    for (int i = 0; i < 12; i += 6) {
        p[i] = way_malloc(0);
        p[i + 1] = way_calloc(0, 8);
        p[i + 2] = way_calloc(8, 0);
        p[i + 3] = way_aligned_alloc(64, 0);
        p[i + 4] = way_realloc(NULL, 0);
        assert_int_equal(way->owner ? 0 : way_posix_memalign(&out, 64, 0), 0);
        p[i + 5] = way->owner ? way_malloc(0) : out;
    }
    for (int i = 0; i < 12; i++) {
        assert_non_null(p[i]);
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(p[i], p[j]);
    }
    p[0] = way_realloc(p[0], 100);
    placed(p[0]);
    fill(p[0], 100, 1);
    for (int i = 0; i < 12; i++)
        way_free(p[i]);
}
static void test_blocks_of_no_size_are_unique(void **state)
{
    (void)state;
    each_way(zero_size);
}

// "If the space cannot be allocated, a null pointer is returned"; POSIX: and errno is ENOMEM.
static void no_space(void)
{
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 4096, (size_t)PTRDIFF_MAX + 1, PTRDIFF_MAX};
    void *out = &out;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        errno = 0;
        assert_null(way_malloc(sizes[i]));
        if (!way->replaced || way->node != NUMAFY_NO_NODE) // malloc is the one below: mimalloc's
            assert_int_equal(errno, ENOMEM);               // leaves errno alone
        errno = 0;
        assert_null(way_calloc(1, sizes[i]));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_null(way_aligned_alloc(64, sizes[i]));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_null(way_realloc(NULL, sizes[i]));
        assert_int_equal(errno, ENOMEM);
        if (!way->owner) {
            errno = 77;
            assert_int_equal(way_posix_memalign(&out, 64, sizes[i]), ENOMEM);
#if POOLS // glibc's sets it
            assert_int_equal(errno, 77);
#endif
            assert_ptr_equal(out, &out);
        }
    }
}
static void test_what_cannot_be_allocated_is_null_and_enomem(void **state)
{
    (void)state;
    each_way(no_space);
}

// A success leaves errno alone, and so does free (POSIX 2024), for blocks of every size.
static void errno_kept(void)
{
    for (size_t size = 1; size <= (32u << 20); size *= 4) {
        errno = 77;
        void *p[4] = {way_malloc(size), way_calloc(1, size), way_aligned_alloc(4096, size)};
        p[2] = way_realloc(p[2], 2 * size);
        for (int i = 0; i < 3; i++)
            placed(p[i]);
        for (int i = 0; i < 4; i++)
            way_free(p[i]);
        assert_int_equal(errno, 77);
    }
}
static void test_success_and_free_keep_errno(void **state)
{
    (void)state;
    each_way(errno_kept);
}

// --- 7.24.3.1 aligned_alloc, POSIX posix_memalign
static void alignments(void)
{
    for (size_t alignment = 1; alignment <= (4u << 20); alignment *= 2)
        for (size_t size = 1; size <= 100000; size *= 9) { // no multiple of it, as C17 allows
            void *p = way_aligned_alloc(alignment, size), *q = NULL;
            placed(p);
            assert_int_equal((uintptr_t)p % alignment, 0);
            fill(p, size, 2);
            if (!way->owner && alignment >= sizeof(void *)) {
                assert_int_equal(way_posix_memalign(&q, alignment, size), 0);
                placed(q);
                assert_int_equal((uintptr_t)q % alignment, 0);
                fill(q, size, 3);
            }
            filled(p, size, 2);
            way_free(p);
            way_free(q);
        }
}
static void test_every_power_of_two_is_an_alignment(void **state)
{
    (void)state;
    each_way(alignments);
}

// "If the value of alignment is not a valid alignment supported by the implementation the function
// shall fail by returning a null pointer."
static void bad_alignments(void)
{
    const size_t bad[] = {0, 3, 24, 65, 4097, SIZE_MAX};
    void *out = &out;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
#if POOLS // glibc's aligned_alloc rounds them up
        if (way->node != NUMAFY_NO_NODE || REPLACED) {
            errno = 0;
            assert_null(way_aligned_alloc(bad[i], 64));
            assert_int_equal(errno, EINVAL);
        }
#endif
        if (!way->owner) {
            errno = 77;
            assert_int_equal(way_posix_memalign(&out, bad[i], 64), EINVAL);
            assert_int_equal(way_posix_memalign(&out, 4, 64), EINVAL);
            assert_int_equal(errno, 77);
            assert_ptr_equal(out, &out);
        }
    }
}
static void test_other_alignments_are_refused(void **state)
{
    (void)state;
    each_way(bad_alignments);
}

// --- 7.24.3.2 calloc: "The space is initialized to all bits zero", used memory too
static void zeroed(void)
{
    for (size_t size = 1; size <= (4u << 20); size *= 3)
        for (int round = 0; round < 3; round++) {
            unsigned char *p = way_calloc(size, 1);
            placed(p);
            for (size_t i = 0; i < size; i++)
                if (p[i])
                    fail_msg("%s: byte %zu of %zu is %u", way->name, i, size, p[i]);
            memset(p, 0xff, size);
            way_free(p);
        }
}
static void test_calloc_gives_zeroes(void **state)
{
    (void)state;
    each_way(zeroed);
}

// C23: "returns a null pointer if the product of nmemb and size would wrap around"
static void wraps(void)
{
    const size_t pairs[][2] = {{SIZE_MAX, 2},
                               {2, SIZE_MAX},
                               {SIZE_MAX / 2 + 1, 2},
                               {(size_t)1 << 32, (size_t)1 << 32},
                               {SIZE_MAX, SIZE_MAX}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        errno = 0;
        assert_null(way_calloc(pairs[i][0], pairs[i][1]));
        assert_int_equal(errno, ENOMEM);
    }
}
static void test_calloc_refuses_a_product_that_wraps(void **state)
{
    (void)state;
    each_way(wraps);
}

// --- 7.24.3.3 free: "If ptr is a null pointer, no action occurs"
static void free_null(void)
{
    errno = 77;
    way_free(NULL);
    assert_int_equal(errno, 77);
}
static void test_free_of_null_does_nothing(void **state)
{
    (void)state;
    each_way(free_null);
}

// --- 7.24.3.7 realloc: "The contents of the new object shall be the same as that of the old object
// prior to deallocation, up to the lesser of the new and old sizes"
static void contents(void)
{
    const size_t sizes[] = {1,     100, 16,   4096,    50,     33000,   32768,
                            65536, 17,  1000, 5000000, 200000, 1 << 20, 3};
    size_t old = 40;
    unsigned char *p = way_realloc(NULL, old); // "behaves like the malloc function"
    if (way->owner || way->replaced)
        placed(p);
    way_free(p);
    p = way_malloc(old);
    fill(p, old, 9);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        p = way_realloc(p, sizes[i]);
        placed(p);
        filled(p, old < sizes[i] ? old : sizes[i], 9);
        fill(p, sizes[i], 9);
        old = sizes[i];
    }
    way_free(p);
}
static void test_realloc_keeps_the_contents(void **state)
{
    (void)state;
    each_way(contents);
}

// "If memory for the new object cannot be allocated, the old object is not deallocated and its
// value is unchanged."
static void failed_realloc(void)
{
    for (size_t size = 10; size <= 1000000; size *= 100) {
        unsigned char *p = way_malloc(size);
        fill(p, size, 4);
        errno = 0;
        assert_null(way_realloc(p, SIZE_MAX - 100));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_null(way_realloc(p, PTRDIFF_MAX));
        assert_int_equal(errno, ENOMEM);
#if REPLACED
        if (way->replaced) {
            errno = 0;
            assert_null(hide(reallocarray(p, unknown(SIZE_MAX / 2), 3)));
            assert_int_equal(errno, ENOMEM);
        }
#endif
        placed(p);
        filled(p, size, 4);
        way_free(p);
    }
}
static void test_a_failed_realloc_leaves_the_block(void **state)
{
    (void)state;
    each_way(failed_realloc);
}

// "If size is zero": implementation-defined up to C17, undefined in C23. It frees and returns NULL,
// as glibc's does, with errno as it was.
static void realloc_to_zero(void)
{
    for (size_t size = 0; size <= 100000; size = size * 10 + 1) {
        void *p = way_malloc(size);
        errno = 77;
        assert_null(way_realloc(p, 0));
        assert_int_equal(errno, 77);
    }
}
static void test_realloc_to_zero_frees(void **state)
{
    (void)state;
    each_way(realloc_to_zero);
}

// --- the size of a block (O02)
static void usable(void)
{
    for (size_t size = 1; size <= (8u << 20); size += size / 3 + 1) {
        void *p = way_malloc(size);
        const size_t room = numafy_usable_size(p);
        if (room < size || (room > 2 * size && room > 32)) // 32: glibc's smallest block has 24
            fail_msg("%s: %zu bytes for %zu", way->name, room, size);
        memset(p, 1, room);
        if (way->replaced)
            assert_int_equal(malloc_usable_size(p), room);
        way_free(p);
    }
    assert_int_equal(numafy_usable_size(NULL), 0);
    assert_int_equal(malloc_usable_size(NULL), 0);
}
static void test_a_block_has_room_for_its_size_and_at_most_twice_that(void **state)
{
    (void)state;
    each_way(usable);
}

#if REPLACED
// --- the names that only the replaced family has
// C23's two are not in glibc 2.36; by name, since no header declares them.
void free_sized_(void *, size_t) __asm__("free_sized");
void free_aligned_sized_(void *, size_t, size_t) __asm__("free_aligned_sized");

static void test_glibcs_and_c23s_names_are_replaced_too(void **state)
{
    (void)state;
    for (int node = NUMAFY_NO_NODE; node < 3; node++) {
        NUMAFY_SCOPE_NODE(node);
        void *p[] = {memalign(1024, 100), valloc(100), pvalloc(100), reallocarray(NULL, 10, 10)};
        assert_int_equal((uintptr_t)p[0] % 1024, 0);
        assert_int_equal((uintptr_t)p[1] % 4096, 0);
        assert_int_equal((uintptr_t)p[2] % 4096, 0);
        assert_true(malloc_usable_size(p[2]) >= 4096);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(numafy_node_of(p[i]), node);
            free(p[i]);
        }
        errno = 0;
        assert_null(hide(pvalloc(unknown(SIZE_MAX))));
        assert_int_equal(errno, ENOMEM);
        free_sized_(malloc(100), 100);
        free_aligned_sized_(aligned_alloc(256, 512), 256, 512);
        free_sized_(NULL, 0);
        free_aligned_sized_(NULL, 64, 64);
    }
}

// --- P64: blocks that libc makes, freed and resized through ours
static void test_libcs_blocks_are_freed_whoever_is_asked(void **state)
{
    (void)state;
    for (int node = NUMAFY_NO_NODE; node < 2; node++)
        for (int how = 0; how < 3; how++) {
            NUMAFY_SCOPE_NODE(node);
            char *line = NULL, *text = NULL;
            size_t room = 0;
            void *aligned = NULL;
            FILE *file = fopen("/proc/self/status", "r");
            assert_non_null(file);
            while (getline(&line, &room, file) > 0) // it grows by realloc
                ;
            fclose(file);
            assert_true(asprintf(&text, "%0300d", 7) == 300);
            assert_int_equal(posix_memalign(&aligned, 4096, 100), 0);
            void *all[] = {line,
                           text,
                           aligned,
                           strdup("a copy"),
                           strndup("a copy", 3),
                           realpath("/proc/self/exe", NULL),
                           getcwd(NULL, 0)};
            for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
                assert_non_null(all[i]);
                assert_int_equal(numafy_node_of(all[i]), node);
                if (how == 2) {
                    all[i] = numafy_realloc(all[i], 100000);
                    assert_int_equal(numafy_node_of(all[i]), node);
                }
                if (how)
                    numafy_free(all[i]);
                else
                    free(all[i]);
            }
        }
}
#endif

#if POOLS
// --- P51: realloc keeps the node, whoever calls
// O08: the block that is left behind is not handed out on the caller's node either.
static void *resize_elsewhere(void *arg)
{
    char *p = arg;
    NUMAFY_SCOPE_NODE(0); // another node is ambient, and there is an owner on a third
    void *owner = numafy_malloc(3, 1);
    size_t size = 16;
    for (; size <= (64u << 20); size *= 2) {
        p = REPLACED && size % 3 ? realloc(p, size) : numafy_realloc_near(owner, p, size);
        if (numafy_node_of(p) != 2)
            return p;
        memset(p, 3, size < 4096 ? size : 4096);
        void *fresh = numafy_malloc(0, size);
        if (numafy_node_of(fresh) != 0)
            return fresh;
        numafy_free(fresh);
    }
    for (; size >= 16; size /= 4) {
        p = numafy_realloc(p, size);
        if (numafy_node_of(p) != 2 || p[size < 4096 ? size - 1 : 4095] != 3)
            return p;
    }
    numafy_free(p);
    numafy_free(owner);
    return NULL;
}
static void test_realloc_keeps_the_node_whoever_calls(void **state)
{
    (void)state;
    void *wrong;
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, resize_elsewhere, numafy_malloc(2, 16)), 0);
    pthread_join(t, &wrong);
    assert_null(wrong);
    assert_null(resize_elsewhere(numafy_malloc(2, 16)));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_are_aligned_for_what_fits_into_them),
        cmocka_unit_test(test_blocks_are_disjoint),
        cmocka_unit_test(test_blocks_of_no_size_are_unique),
        cmocka_unit_test(test_what_cannot_be_allocated_is_null_and_enomem),
        cmocka_unit_test(test_success_and_free_keep_errno),
        cmocka_unit_test(test_every_power_of_two_is_an_alignment),
        cmocka_unit_test(test_other_alignments_are_refused),
        cmocka_unit_test(test_calloc_gives_zeroes),
        cmocka_unit_test(test_calloc_refuses_a_product_that_wraps),
        cmocka_unit_test(test_free_of_null_does_nothing),
        cmocka_unit_test(test_realloc_keeps_the_contents),
        cmocka_unit_test(test_a_failed_realloc_leaves_the_block),
        cmocka_unit_test(test_realloc_to_zero_frees),
        cmocka_unit_test(test_a_block_has_room_for_its_size_and_at_most_twice_that),
#if REPLACED
        cmocka_unit_test(test_glibcs_and_c23s_names_are_replaced_too),
        cmocka_unit_test(test_libcs_blocks_are_freed_whoever_is_asked),
#endif
#if POOLS
        cmocka_unit_test(test_realloc_keeps_the_node_whoever_calls),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
