// SPDX-License-Identifier: Apache-2.0
// runtime_huge.c: NUMAFY_HUGE on a machine as it is, most likely without a reserved huge page, and
// on fake ones. What needs reserved pages is in tests/place/place_huge.c.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime_child.h"

enum { MIB = 1 << 20, FRAME = 2 << 20, LARGE = 64 << 10 };

/* The number behind "name": in the statistics' first pool. */
static size_t stat_of(const char *name)
{
    char text[8192], key[40];
    numafy_stats_json(text, sizeof text);
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *const at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : SIZE_MAX;
}

static size_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*u %lu", &pages) != 1)
        exit(123);
    fclose(f);
    return pages * 4096;
}

/* The line `key` of the smaps entry of p's mapping. */
static void smaps(const void *p, const char *key, char *out, size_t len)
{
    char line[512];
    bool here = false;
    FILE *f = fopen("/proc/self/smaps", "r");
    *out = 0;
    while (f && fgets(line, sizeof line, f)) {
        uintptr_t from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            here = from <= (uintptr_t)p && (uintptr_t)p < to;
        else if (here && !strncmp(line, key, strlen(key)))
            snprintf(out, len, "%s", line + strlen(key));
    }
    if (f)
        fclose(f);
}

// --- children
/* What was chosen, and whether memory comes. */
static int child_choose(void)
{
    char *p = numafy_malloc(0, 3 * MIB);
    memset(p, 1, 3 * MIB);
    printf("%d %zu %d", numafy_node_of(p), numafy_huge_v3.page, numafy_huge_v3.transparent);
    free(p);
    return 0;
}

/* Blocks of four pools, some interleaved: their 2 MiB frames, and what the kernel may do with them.
 */
static int child_frames(void)
{
    const int nodes[] = {0, 1, 2, 3, NUMAFY_INTERLEAVE};
    uintptr_t frames[5];
    char advised[200], interleaved[200];
    int shared = 0;
    for (int i = 0; i < 5; i++) {
        char *p = numafy_malloc(nodes[i], 100 + 1000 * (size_t)i);
        frames[i] = (uintptr_t)p / FRAME;
        p[0] = 1;
        smaps(p, "VmFlags:", i == 4 ? interleaved : advised, sizeof advised);
        for (int j = 0; j < i; j++)
            shared += frames[i] == frames[j];
    }
    for (unsigned i = 1; i <= numafy_pools_v3.slots; i++)
        shared += numafy_pools_v3.slot[i].start % FRAME != 0;
    printf("%d %s %s", shared, strstr(advised, " hg") || strstr(advised, " ht") ? "huge" : "not",
           strstr(interleaved, " nh") ? "small" : "not");
    return 0;
}

/* 64 MiB in blocks of 64 KiB, of which one in 20 stays; jemalloc gives each pages of its own.
 * Prints how much memory came and how much is left in per cent of that, and what a new block
 * contains. */
static int child_free_most(void)
{
    enum { BLOCKS = 1024 };
    static char *blocks[BLOCKS];
    int dirty = 0;
    free(numafy_malloc(0, LARGE));
    const size_t before = resident_bytes();
    for (int i = 0; i < BLOCKS; i++)
        memset(blocks[i] = numafy_malloc(0, LARGE), 1, LARGE);
    const size_t full = resident_bytes() - before;
    for (int i = 0; i < BLOCKS; i++)
        if (i % 20)
            free(blocks[i]);
    numafy_thread_flush();
    numafy_purge(0);
    const size_t left = resident_bytes() - before;
    for (int i = 0; i < BLOCKS; i++) {
        if (i % 20)
            blocks[i] = numafy_calloc(0, 1, LARGE);
        for (int at = 0; at < LARGE; at += 509)
            dirty += blocks[i][at] != (i % 20 ? 0 : 1);
        memset(blocks[i], 1, LARGE);
    }
    printf("%d %d %d", full >= (size_t)BLOCKS * LARGE / 10 * 9, (int)(left * 100 / full), dirty);
    return 0;
}

/* Page faults of writing to 64 MiB at p, and how much of it lies in huge pages, in per cent. */
static long faults_of(char *p, size_t size, size_t *percent)
{
    struct rusage before, after;
    char huge[100];
    getrusage(RUSAGE_SELF, &before);
    memset(p, 1, size);
    getrusage(RUSAGE_SELF, &after);
    smaps(p, "AnonHugePages:", huge, sizeof huge);
    *percent = (size_t)strtoull(huge, NULL, 10) * 1024 * 100 / size;
    return after.ru_minflt - before.ru_minflt;
}

/* Prints whether the machine has 64 MiB in huge pages at all, then the faults of a block. */
static int child_faults(void)
{
    const size_t size = 64 * MIB;
    size_t possible, percent;
    char *control =
        mmap(NULL, size + FRAME, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (control == MAP_FAILED || madvise(control, size + FRAME, MADV_HUGEPAGE))
        return 1;
    control = (char *)(((uintptr_t)control + FRAME - 1) & ~(uintptr_t)(FRAME - 1));
    faults_of(control, size, &possible);
    const long faults = faults_of(numafy_malloc(0, size), size, &percent);
    printf("%zu %zu %ld", possible, percent, faults);
    return 0;
}

static int child_counters(void)
{
    char *p = numafy_malloc(0, 24 * MIB);
    memset(p, 1, 24 * MIB);
    printf("%zu %d %d %zu", stat_of("huge_bytes"),
           stat_of("huge_fallbacks") * numafy_huge_v3.page >= 24 * MIB,
           stat_of("thp_bytes") >= 24 * MIB, stat_of("thp_fallbacks"));
    free(p);
    return 0;
}

static int run_child(const char *name)
{
    if (!strcmp(name, "choose"))
        return child_choose();
    if (!strcmp(name, "frames"))
        return child_frames();
    if (!strcmp(name, "free-most"))
        return child_free_most();
    if (!strcmp(name, "faults"))
        return child_faults();
    if (!strcmp(name, "counters"))
        return child_counters();
    return 124;
}

// --- a fake kernel
static char root[] = "/tmp/numafy-huge-XXXXXX";
static char root_env[64];

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make_root(void **state)
{
    (void)state;
    const char *const folders[] = {"devices",
                                   "devices/system",
                                   "devices/system/node",
                                   "kernel",
                                   "kernel/mm",
                                   "kernel/mm/hugepages",
                                   "kernel/mm/hugepages/hugepages-1048576kB",
                                   "kernel/mm/hugepages/hugepages-64kB",
                                   "kernel/mm/hugepages/hugepages-2048kB",
                                   "kernel/mm/transparent_hugepage"};
    if (!mkdtemp(root))
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        if (mkdir(path, 0755))
            return -1;
    }
    put("devices/system/node/online", "0\n");
    put("meminfo", "MemTotal: 1 kB\nHugepagesize:       2048 kB\n");
    put("kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    snprintf(root_env, sizeof root_env, "NUMAFY_SYSFS=%s", root);
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

// --- what the machine has
static size_t number_in(const char *path)
{
    size_t n = 0;
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%zu", &n) != 1)
        n = SIZE_MAX;
    if (f)
        fclose(f);
    return n;
}

/* A size of which there is no page to spare, as a setting: what happens with too few. Cases with
 * enough of them are place_huge's. */
static const char *empty_store(void)
{
    static const struct {
        unsigned kib;
        const char *setting;
    } sizes[] = {{1048576, "NUMAFY_HUGE=1G"}, {2048, "NUMAFY_HUGE=2M"}};
    for (int i = 0; i < 2; i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/kernel/mm/hugepages/hugepages-%ukB/free_hugepages",
                 sizes[i].kib);
        const size_t spare = number_in(path);
        snprintf(path, sizeof path,
                 "/sys/kernel/mm/hugepages/hugepages-%ukB/nr_overcommit_hugepages", sizes[i].kib);
        if (spare == 0 && number_in(path) == 0)
            return sizes[i].setting;
    }
    print_message("this machine has huge pages of each size to spare, or no hugetlb\n");
    skip();
    return NULL;
}

static void needs_transparent(void)
{
    char text[100] = "";
    FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (f && !fgets(text, sizeof text, f))
        text[0] = 0;
    if (f)
        fclose(f);
    if (strstr(text, "[always]") || strstr(text, "[madvise]"))
        return;
    print_message("this kernel has its transparent huge pages off\n");
    skip();
}

static void chosen(const char *setting, const char *out, const char *err)
{
    const struct outcome o = child(LIST("choose"), LIST(root_env, setting));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, out);
    assert_string_equal(o.err, err);
}

/* P42 */
static void test_a_size_that_the_kernel_lacks_is_refused_with_the_list(void **state)
{
    (void)state;
    chosen("NUMAFY_HUGE=4M", "0 0 0",
           "numafy: NUMAFY_HUGE has no effect: this kernel has no huge pages of 4M, only of 64K, "
           "2M, 1G; ordinary pages are used\n");
    chosen(
        "NUMAFY_HUGE=3", "0 0 0",
        "numafy: NUMAFY_HUGE has no effect: this kernel has no huge pages of 3, only of 64K, 2M, "
        "1G; ordinary pages are used\n");
    const char *const bad[] = {"x",           "",          "2MB", "-1",  "1 ",
                               "99999999999", "99999999G", "G",   "2Mx", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char setting[64], said[200];
        snprintf(setting, sizeof setting, "NUMAFY_HUGE=%s", bad[i]);
        snprintf(said, sizeof said,
                 "numafy: %s is not understood and ignored; it takes 0, 1, 2 or a size like 2M\n",
                 setting);
        chosen(setting, "0 0 0", said);
    }
}

static void test_sizes_have_several_spellings(void **state)
{
    (void)state;
    if (number_in("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages") == SIZE_MAX) {
        print_message("this kernel has no huge pages of 2M\n");
        skip();
    }
    const char *const same[] = {"2", "2M", "2m", "2048K", "2097152"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        char setting[64];
        snprintf(setting, sizeof setting, "NUMAFY_HUGE=%s", same[i]);
        const struct outcome o = child(LIST("choose"), LIST(root_env, setting, "NUMAFY_QUIET=1"));
        assert_string_equal(o.out, "0 2097152 0");
    }
    chosen("NUMAFY_HUGE=0", "0 0 0", "");
    chosen("NUMAFY_HUGE=1", "0 0 1", "");
}

/* P42 */
static void test_a_kernel_that_gives_no_huge_page_is_told(void **state)
{
    (void)state;
    put("kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    chosen("NUMAFY_HUGE=1", "0 0 1",
           "numafy: NUMAFY_HUGE has no effect: transparent huge pages are off "
           "(transparent_hugepage/enabled says never); ordinary pages are used\n");
    put("kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    const struct outcome o =
        child(LIST("choose"), LIST("NUMAFY_SYSFS=/nonexistent", "NUMAFY_HUGE=2"));
    assert_string_equal(o.out, "0 0 0");
    assert_non_null(strstr(o.err, "numafy: NUMAFY_HUGE has no effect: this kernel has no huge "
                                  "pages to map; ordinary pages are used\n"));
}

/* P45 */
static void test_missing_huge_pages_are_replaced_counted_and_told_once(void **state)
{
    (void)state;
    const char *const setting = empty_store();
    unsetenv("NUMAFY_HUGE"); // child would drop the line that this is about
    const struct outcome o = child(LIST("counters"), LIST(root_env, setting));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, "0 1 1 0");
    assert_int_equal(lines(o.err), 1);
    assert_non_null(strstr(o.err, "numafy: NUMAFY_HUGE: too few huge pages of "));
    put("kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    const struct outcome small = child(LIST("counters"), LIST(root_env, setting));
    put("kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    assert_int_equal(small.status, 0);
    assert_true(atoi(strrchr(small.out, ' ')) >= 12); // of 2 MiB each
}

/* P41 */
static void test_pools_share_no_frame_and_interleaved_ones_have_no_huge_page(void **state)
{
    (void)state;
    needs_transparent();
    const char *const values[] = {"NUMAFY_HUGE=0", "NUMAFY_HUGE=1", "NUMAFY_HUGE=2"};
    for (int i = 0; i < 3; i++) {
        const struct outcome o = child(LIST("frames"), LIST(values[i], "NUMAFY_QUIET=1"));
        assert_int_equal(o.status, 0);
        assert_string_equal(o.out, i == 0 ? "0 not small" : "0 huge small");
    }
}

static void test_memory_comes_back_after_a_free_of_95_percent(void **state)
{
    (void)state;
    const char *const values[] = {"NUMAFY_HUGE=0", "NUMAFY_HUGE=1", empty_store()};
    for (int i = 0; i < 3; i++) {
        const struct outcome o = child(LIST("free-most"), LIST(values[i], "NUMAFY_QUIET=1"));
        int came = 0, percent = 100, dirty = -1;
        assert_int_equal(o.status, 0);
        assert_int_equal(sscanf(o.out, "%d %d %d", &came, &percent, &dirty), 3);
        assert_int_equal(came, 1);
        assert_int_equal(dirty, 0);
        if (percent > 8)
            fail_msg("%s: %d %% of the memory is left where 5 %% is in use", values[i], percent);
    }
}

static void test_transparent_huge_pages_save_the_faults(void **state)
{
    (void)state;
    needs_transparent();
    size_t possible = 0, unasked = 0, percent = 0;
    long small = 0, huge = 0;
    struct outcome o = child(LIST("faults"), LIST("NUMAFY_HUGE=0"));
    assert_int_equal(sscanf(o.out, "%zu %zu %ld", &possible, &unasked, &small), 3);
    o = child(LIST("faults"), LIST("NUMAFY_HUGE=1"));
    assert_int_equal(sscanf(o.out, "%zu %zu %ld", &possible, &percent, &huge), 3);
    if (unasked || possible < 100) {
        print_message("huge pages come unasked, or not even where they are asked for\n");
        skip();
    }
    if (percent < 95 || small < 16000 || huge * 50 > small)
        fail_msg("%ld page faults with huge pages, %ld without, %zu %% is huge", huge, small,
                 percent);
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--child"))
        return run_child(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_size_that_the_kernel_lacks_is_refused_with_the_list),
        cmocka_unit_test(test_sizes_have_several_spellings),
        cmocka_unit_test(test_a_kernel_that_gives_no_huge_page_is_told),
        cmocka_unit_test(test_missing_huge_pages_are_replaced_counted_and_told_once),
        cmocka_unit_test(test_pools_share_no_frame_and_interleaved_ones_have_no_huge_page),
        cmocka_unit_test(test_memory_comes_back_after_a_free_of_95_percent),
        cmocka_unit_test(test_transparent_huge_pages_save_the_faults),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
