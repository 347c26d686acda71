/* SPDX-License-Identifier: Apache-2.0 */
/* The malloc and free that the program is linked with, called as a user's program calls them: an
 * ordinary call through the PLT. Compiled once per allocator with
 *
 *     BENCH_PEER     the row's name
 *     BENCH_NUMAFY   the program includes numa_alloc.h, or links libnumafy (NUMAFY_EXTERN) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_NUMAFY
#include "numa_alloc.h"
#endif
#include "bench.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static inline void *peer_alloc(int node, size_t size)
{
    (void)node;
    return malloc(size);
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    (void)size;
    free(p);
}
#include "loops.h"

/* What only one of them has: where it is, its way to give memory back. */
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));
extern void mi_collect(bool) __attribute__((weak));
extern void MallocExtension_ReleaseFreeMemory(void) __attribute__((weak));

#ifdef BENCH_NUMAFY
static void *malloc_in_scope(int node, size_t size)
{
    NUMAFY_SCOPE_NODE(node);
    return malloc(size);
}

/* Inside a scope the replaced malloc gives a block of the node, any other does not. */
static const char *prepare(const struct bench_cell *cell)
{
    void *volatile p = malloc_in_scope(cell->node, cell->size);
    const bool replaced = numafy_node_of(p) == cell->node;
    free(p);
    return replaced ? NULL : "malloc is not replaced here";
}
#else
/* The row must not be another malloc's: this process could have been started with a preload, or the
 * linker could have dropped the library. */
static const char *prepare(const struct bench_cell *cell)
{
    Dl_info info;
    void *const found = dlsym(RTLD_DEFAULT, "malloc");
    (void)cell;
    if (found == NULL || dladdr(found, &info) == 0 || info.dli_fname == NULL)
        return "it cannot be told whose malloc this is";
    const char *name = strrchr(info.dli_fname, '/');
    name = name != NULL ? name + 1 : info.dli_fname;
    const char *wanted =
        strcmp(TEXT(BENCH_PEER), "glibc") == 0 ? "libc.so" : "lib" TEXT(BENCH_PEER);
    return strncmp(name, wanted, strlen(wanted)) == 0 ? NULL : "malloc is another library's here";
}
#endif

static void purge(int node)
{
    (void)node;
    if (mallctl != NULL) {
        mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
        mallctl("arena.4096.purge", NULL, NULL, NULL, 0); /* MALLCTL_ARENAS_ALL */
    } else if (mi_collect != NULL) {
        mi_collect(true);
    } else if (MallocExtension_ReleaseFreeMemory != NULL) {
        MallocExtension_ReleaseFreeMemory();
    } else {
        malloc_trim(0);
    }
}

static struct bench_code code = {
    .name = TEXT(BENCH_PEER),
    .prepare = prepare,
    .purge = purge,
    .loops = loops,
    .alloc = call_alloc,
    .release = call_free,
};
BENCH_CODE(code);
