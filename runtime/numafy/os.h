/* SPDX-License-Identifier: Apache-2.0 */
/* os.h: what we ask Linux and glibc for: address space, page policies, sysfs, threads, text on
 * fd 2. Functions return a value or a negative errno and keep no state. Nothing here may call
 * malloc.
 *
 * glibc's functions are imported by assembler name under names of our own: the header then needs no
 * feature macro of the user's and cannot clash with the system's declarations. */
#ifndef NUMAFY_OS_H
#define NUMAFY_OS_H

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "types.h"

enum {
    NUMAFY_PROT_NONE = 0,
    NUMAFY_PROT_RW = 3,
    NUMAFY_MAP_ANON = 0x22, /* MAP_PRIVATE | MAP_ANONYMOUS */
    NUMAFY_MAP_NORESERVE = 0x4000,
    NUMAFY_MADV_DONTNEED = 4,
    NUMAFY_MADV_NOHUGEPAGE = 15,
    NUMAFY_MADV_POPULATE_WRITE = 23, /* Linux 5.14 */
    NUMAFY_MPOL_DEFAULT = 0,
    NUMAFY_MPOL_PREFERRED = 1,
    NUMAFY_MPOL_BIND = 2,
    NUMAFY_MPOL_INTERLEAVE = 3,
    NUMAFY_MPOL_WEIGHTED_INTERLEAVE = 6, /* Linux 6.9 */
    NUMAFY_PAGE = 4096, /* the smallest that there is; the kernel's is numafy_os_page */
    NUMAFY_PATH_MAX = 512,
    NUMAFY_LIST_MAX = 12 << 10 /* the longest list: every second one of 4096 CPUs */
};

/* A test has functions of its own under these names, which fail when it wants them to. */
#ifdef NUMAFY_TEST_FAULTS
#define NUMAFY_OS_(name) "test_" name
#else
#define NUMAFY_OS_(name) name
#endif

long numafy_os_syscall_(long, ...) __asm__(NUMAFY_OS_("syscall"));
void *numafy_os_mmap_(void *, size_t, int, int, int, long) __asm__(NUMAFY_OS_("mmap"));
int numafy_os_munmap_(void *, size_t) __asm__(NUMAFY_OS_("munmap"));
int numafy_os_mprotect_(void *, size_t, int) __asm__(NUMAFY_OS_("mprotect"));
int numafy_os_madvise_(void *, size_t, int) __asm__(NUMAFY_OS_("madvise"));
char *numafy_os_getenv_(const char *) __asm__("secure_getenv");
unsigned long numafy_os_getauxval_(unsigned long) __asm__(NUMAFY_OS_("getauxval"));
int numafy_os_getcpu_(void) __asm__(NUMAFY_OS_("sched_getcpu"));
int numafy_os_getaffinity_(int, size_t, void *) __asm__(NUMAFY_OS_("sched_getaffinity"));
int numafy_os_setaffinity_(int, size_t, const void *) __asm__(NUMAFY_OS_("sched_setaffinity"));
int numafy_os_clock_(int, long *) __asm__("clock_gettime");
typedef void (*numafy_function)(void); /* any function: ISO C has no cast from dlsym's void * */
numafy_function numafy_os_dlsym_(void *, const char *) __asm__("dlsym");
void *numafy_os_dlopen_(const char *, int) __asm__("dlopen");
int numafy_os_dladdr_(const void *, void *) __asm__("dladdr");
/* Elf64_Phdr and struct dl_phdr_info. */
struct numafy_os_segment {
    uint32_t type, flags;
    uint64_t offset, address, physical, file_bytes, bytes, alignment;
};
struct numafy_os_object {
    uintptr_t base;
    const char *name; /* empty: the program */
    const struct numafy_os_segment *segment;
    uint16_t headers;
    uint64_t loaded, unloaded;
    size_t tls_id;
    const void *tls; /* the calling thread's block of it, or NULL */
};
int numafy_os_each_object_(int (*)(struct numafy_os_object *, size_t, void *),
                           void *) __asm__("dl_iterate_phdr");
unsigned long numafy_os_self_(void) __asm__("pthread_self");
int numafy_os_getattr_(unsigned long, void *) __asm__("pthread_getattr_np");
int numafy_os_getstack_(const void *, void **, size_t *) __asm__("pthread_attr_getstack");
int numafy_os_attr_destroy_(void *) __asm__("pthread_attr_destroy");
int numafy_os_key_create_(unsigned *, void (*)(void *)) __asm__(NUMAFY_OS_("pthread_key_create"));
int numafy_os_thread_atexit_(void (*)(void *), void *, void *) __asm__("__cxa_thread_atexit_impl");
int numafy_os_setspecific_(unsigned, const void *) __asm__(NUMAFY_OS_("pthread_setspecific"));
int numafy_os_atfork_(void (*)(void), void (*)(void),
                      void (*)(void)) __asm__(NUMAFY_OS_("pthread_atfork"));
__attribute__((noreturn)) void numafy_os_abort_(void) __asm__("abort");
extern char **numafy_os_environ_ __asm__("environ");
/* glibc 2.35 or newer: where each thread's struct rseq is, from the thread pointer on. */
extern const ptrdiff_t numafy_os_rseq_offset_ __asm__("__rseq_offset") __attribute__((weak));
extern const unsigned numafy_os_rseq_size_ __asm__("__rseq_size") __attribute__((weak));

/* Whether the program is linked statically: it names no interpreter. The C library corrects the
 * auxiliary vector of a program that was started through ld.so. */
NUMAFY_FN_ bool numafy_os_is_static(void)
{
    const char *header = (const char *)numafy_os_getauxval_(3 /* AT_PHDR */);
    const size_t size = numafy_os_getauxval_(4 /* AT_PHENT */);
    for (size_t n = numafy_os_getauxval_(5 /* AT_PHNUM */); header && n; n--, header += size)
        if (*(const uint32_t *)(const void *)header == 3 /* PT_INTERP */)
            return false;
    return header != NULL;
}

/* Two addresses that are looked for among the loaded objects. */
struct numafy_os_pair {
    uintptr_t a, b;
    bool together;
};

NUMAFY_FN_ int numafy_os_look_for_pair(struct numafy_os_object *object, size_t size, void *pair)
{
    struct numafy_os_pair *q = (struct numafy_os_pair *)pair;
    bool a = false, b = false;
    (void)size;
    for (unsigned i = 0; i < object->headers; i++) {
        const struct numafy_os_segment *s = &object->segment[i];
        const uintptr_t start = object->base + s->address;
        a |= s->type == 1 /* PT_LOAD */ && q->a - start < s->bytes;
        b |= s->type == 1 && q->b - start < s->bytes;
    }
    q->together = a && b;
    return a || b;
}

/* Whether two functions are of one library. Takes the dynamic linker's lock. */
NUMAFY_FN_ bool numafy_os_together(uintptr_t a, uintptr_t b)
{
    struct numafy_os_pair q = {a, b, false};
    numafy_os_each_object_(numafy_os_look_for_pair, &q);
    return q.together;
}

/* Keeps the library with the variable `inside` loaded for ever; the program itself is. Takes the
 * dynamic linker's lock, so no lock of ours may be held. */
NUMAFY_FN_ void numafy_os_stay_loaded(const void *inside)
{
    struct { /* Dl_info */
        const char *path, *base, *name;
        void *at;
    } info;
    if (numafy_os_is_static() || !numafy_os_dladdr_(inside, &info))
        return;
    const uint64_t headers = *(const uint64_t *)(const void *)(info.base + 32); /* e_phoff */
    if ((uintptr_t)info.base + headers != numafy_os_getauxval_(3 /* AT_PHDR */))
        numafy_os_dlopen_(info.path, 0x1006 /* RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE */);
}

/* --- sets of node ids */
NUMAFY_FN_ int numafy_set_has(const uint64_t *set, int n)
{
    return n >= 0 && n < NUMAFY_NODES && (set[n / 64] >> (n % 64) & 1);
}

NUMAFY_FN_ int numafy_set_first(const uint64_t *set)
{
    for (int w = 0; w < NUMAFY_WORDS; w++)
        if (set[w])
            return w * 64 + __builtin_ctzll(set[w]);
    return -1;
}

NUMAFY_FN_ int numafy_set_count(const uint64_t *set)
{
    int n = 0;
    for (int w = 0; w < NUMAFY_WORDS; w++)
        n += __builtin_popcountll(set[w]);
    return n;
}

/* out = a and b; its first node, -1 if it has none. */
NUMAFY_FN_ int numafy_set_meet(uint64_t *out, const uint64_t *a, const uint64_t *b)
{
    for (int w = 0; w < NUMAFY_WORDS; w++)
        out[w] = a[w] & b[w];
    return numafy_set_first(out);
}

/* A number of the list's grammar, at most `limit`; NULL if there is none. */
NUMAFY_FN_ const char *numafy_parse_number(const char *s, unsigned limit, unsigned *out)
{
    unsigned v = 0;
    if (*s < '0' || *s > '9')
        return NULL;
    for (; *s >= '0' && *s <= '9'; s++) {
        v = v * 10 + (unsigned)(*s - '0');
        if (v > limit)
            return NULL;
    }
    *out = v;
    return s;
}

/* The kernel's range list ("0,8,252-255", any order, may be empty) into a set of nbits bits; ids
 * beyond are left out. 0, or -EINVAL for another grammar. */
NUMAFY_FN_ int numafy_parse_list(const char *s, uint64_t *bits, unsigned nbits)
{
    __builtin_memset(bits, 0, nbits / 8);
    while (*s == ' ' || *s == '\t')
        s++;
    while (*s && *s != '\n') {
        unsigned from, to;
        s = numafy_parse_number(s, 1u << 20, &from);
        if (!s)
            return -EINVAL;
        to = from;
        if (*s == '-') {
            s = numafy_parse_number(s + 1, 1u << 20, &to);
            if (!s || to < from)
                return -EINVAL;
        }
        for (unsigned i = from; i <= to && i < nbits; i++)
            bits[i / 64] |= (uint64_t)1 << (i % 64);
        if (*s == ',')
            s++;
        else if (*s && *s != '\n')
            return -EINVAL;
    }
    return 0;
}

/* --- files
 * By system call: the C library's functions are cancellation points, and a thread that ends in the
 * middle of a malloc would leave our locks locked. */
NUMAFY_FN_ int numafy_os_open_(const char *path, int flags)
{
    return (int)numafy_os_syscall_(SYS_openat, -100L /* AT_FDCWD */, path, (long)flags);
}

NUMAFY_FN_ long numafy_os_read_(int fd, void *buf, size_t len)
{
    return numafy_os_syscall_(SYS_read, (long)fd, buf, len);
}

NUMAFY_FN_ void numafy_os_close_(int fd)
{
    numafy_os_syscall_(SYS_close, (long)fd);
}

/* A file as a string: its length, or a negative errno; -E2BIG with the start of a larger one. */
NUMAFY_FN_ long numafy_os_slurp(const char *path, char *buf, size_t len)
{
    size_t n = 0;
    int error = 0;
    int fd = numafy_os_open_(path, 02000000 /* O_RDONLY | O_CLOEXEC */);
    if (fd < 0)
        return -errno;
    while (n < len - 1) {
        long r = numafy_os_read_(fd, buf + n, len - 1 - n);
        if (r < 0 && errno == EINTR)
            continue;
        error = r < 0 ? -errno : 0;
        if (r <= 0)
            break;
        n += (size_t)r;
    }
    numafy_os_close_(fd);
    buf[n] = 0;
    return error ? error : n == len - 1 ? -E2BIG : (long)n;
}

/* <root>/devices/system/node/<name>; root NULL is /sys. */
NUMAFY_FN_ long numafy_sysfs_slurp(const char *root, const char *name, char *buf, size_t len)
{
    char path[NUMAFY_PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/devices/system/node/%s", root ? root : "/sys", name);
    if (n < 0 || n >= (int)sizeof path)
        return -ENAMETOOLONG;
    return numafy_os_slurp(path, buf, len);
}

NUMAFY_FN_ int numafy_sysfs_nodes(const char *root, const char *name, uint64_t *set)
{
    char buf[NUMAFY_LIST_MAX];
    long n = numafy_sysfs_slurp(root, name, buf, sizeof buf);
    return n < 0 ? (int)n : numafy_parse_list(buf, set, NUMAFY_NODES);
}

/* The CPUs of a node into a set of NUMAFY_CPUS bits. */
NUMAFY_FN_ int numafy_sysfs_cpus(const char *root, int node, uint64_t *cpus)
{
    char name[32], buf[NUMAFY_LIST_MAX];
    snprintf(name, sizeof name, "node%d/cpulist", node);
    long n = numafy_sysfs_slurp(root, name, buf, sizeof buf);
    return n < 0 ? (int)n : numafy_parse_list(buf, cpus, NUMAFY_CPUS);
}

/* Mems_allowed_list of a /proc/<pid>/status text into a set; -ENOENT if the line is not there. */
NUMAFY_FN_ int numafy_parse_mems_allowed(const char *status, uint64_t *set)
{
    const char *const name = "Mems_allowed_list:", *s = status;
    const size_t length = __builtin_strlen(name);
    while (*s) {
        if (!__builtin_strncmp(s, name, length))
            return numafy_parse_list(s + length, set, NUMAFY_NODES);
        while (*s && *s++ != '\n')
            ;
    }
    return -ENOENT;
}

/* The nodes that our cpuset grants. With a root of its own (a test's fake machine) the answer is in
 * <root>/self_status, and everything is granted if there is none. */
NUMAFY_FN_ int numafy_sysfs_granted(const char *root, uint64_t *set)
{
    char path[NUMAFY_PATH_MAX], status[8192];
    snprintf(path, sizeof path, "%s/self_status", root ? root : "/proc");
    const long n = numafy_os_slurp(root ? path : "/proc/self/status", status, sizeof status);
    return n < 0 && n != -E2BIG ? (int)n : numafy_parse_mems_allowed(status, set);
}

/* The nodes that a policy of the whole process (numactl --membind) allows; false: there is none, or
 * the kernel does not tell. */
NUMAFY_FN_ bool numafy_os_task_bind(uint64_t *set)
{
    int mode = NUMAFY_MPOL_DEFAULT;
    __builtin_memset(set, 0, NUMAFY_NODES / 8);
    return numafy_os_syscall_(SYS_get_mempolicy, &mode, set, (long)NUMAFY_NODES, (void *)NULL,
                              0L) == 0 &&
           (mode & 0xff) == NUMAFY_MPOL_BIND && numafy_set_first(set) >= 0;
}

/* The CPUs of all nodes. */
NUMAFY_FN_ void numafy_sysfs_read_cpus(const char *root, struct numafy_topology *t)
{
    uint64_t cpus[NUMAFY_CPUS / 64];
    for (int c = 0; c < NUMAFY_CPUS; c++)
        t->node_of_cpu[c] = -1;
    t->cpu_count = 0;
    for (int node = 0; node < NUMAFY_NODES; node++) {
        if (!numafy_set_has(t->cpus, node) || numafy_sysfs_cpus(root, node, cpus) < 0)
            continue;
        for (int c = 0; c < NUMAFY_CPUS; c++)
            if (cpus[c / 64] >> (c % 64) & 1) {
                t->node_of_cpu[c] = (int16_t)node;
                t->cpu_count++;
            }
    }
    if (!t->cpu_count)
        t->cpu_count = 1;
}

/* Nodes, their memory and CPUs, and what we may use of them. A kernel without NUMA, or a sysfs that
 * we may not read, is one node 0. */
NUMAFY_FN_ void numafy_sysfs_read(const char *root, struct numafy_topology *t)
{
    uint64_t granted[NUMAFY_WORDS];

    const int e = numafy_sysfs_nodes(root, "online", t->online);
    t->unreadable = e < 0 ? e : numafy_set_first(t->online) < 0 ? -EINVAL : 0;
    if (t->unreadable) {
        __builtin_memset(t->online, 0, sizeof t->online);
        t->online[0] = 1;
    }
    if (numafy_sysfs_nodes(root, "has_memory", t->memory) < 0 || numafy_set_first(t->memory) < 0)
        __builtin_memcpy(t->memory, t->online, sizeof t->memory);
    if (numafy_sysfs_nodes(root, "has_cpu", t->cpus) < 0)
        __builtin_memcpy(t->cpus, t->online, sizeof t->cpus);
    if (numafy_sysfs_granted(root, granted) < 0)
        __builtin_memcpy(granted, t->memory, sizeof granted);
    if (numafy_set_meet(t->allowed, t->memory, granted) < 0)
        __builtin_memcpy(t->allowed, t->memory, sizeof t->allowed);
    numafy_sysfs_read_cpus(root, t);
}

/* The node of `set` that is nearest to `node` by its distance row, `node` itself if it is in; the
 * lowest id wins a tie, and serves a node that the kernel does not know. -1 if the set is empty.
 * A distance row is in the order of the online nodes. */
NUMAFY_FN_ int numafy_sysfs_nearest(const char *root, int node, const uint64_t *set)
{
    uint64_t online[NUMAFY_WORDS];
    char name[32], buf[8192];
    int best = -1;
    unsigned best_distance = ~0u, d;

    if (numafy_set_has(set, node))
        return node;
    snprintf(name, sizeof name, "node%d/distance", node);
    if (numafy_sysfs_nodes(root, "online", online) < 0 || !numafy_set_has(online, node) ||
        numafy_sysfs_slurp(root, name, buf, sizeof buf) < 0)
        return numafy_set_first(set);
    const char *s = buf;
    for (int other = 0; other < NUMAFY_NODES; other++) {
        if (!numafy_set_has(online, other))
            continue;
        while (*s == ' ')
            s++;
        s = numafy_parse_number(s, 1u << 20, &d);
        if (!s)
            break;
        if (numafy_set_has(set, other) && d < best_distance) {
            best = other;
            best_distance = d;
        }
    }
    return best < 0 ? numafy_set_first(set) : best;
}

/* --- memory */
NUMAFY_FN_ void *numafy_os_map(size_t size)
{
    void *p = numafy_os_mmap_(NULL, size, NUMAFY_PROT_RW, NUMAFY_MAP_ANON, -1, 0);
    return (intptr_t)p == -1 ? NULL : p;
}

/* Sets the policy of a range's future pages; `set` has one node or, for interleaving, several.
 * 0 or a negative errno: -EPERM (a seccomp filter), -ENOSYS (no NUMA), -EINVAL (node not there).
 * The kernel reads one bit less than it is told. */
NUMAFY_FN_ int numafy_os_bind(uintptr_t start, size_t size, int mode, const uint64_t *set)
{
    long r =
        numafy_os_syscall_(SYS_mbind, start, size, (long)mode, set, (long)NUMAFY_NODES + 1, 0L);
    return r < 0 ? -errno : 0;
}

/* The size of a page: 4, 16 or 64 KiB. */
NUMAFY_FN_ size_t numafy_os_page(void)
{
    const unsigned long page = numafy_os_getauxval_(6 /* AT_PAGESZ */);
    return page ? page : (size_t)NUMAFY_PAGE;
}

/* Address space only: works under every overcommit mode. alignment: a power of two, pages. NULL:
 * too much. A part on either side stays closed: a mapping of others that came to lie there would be
 * one with ours, where no policy tells them apart, and numa_maps would count both as its. */
NUMAFY_FN_ void *numafy_os_reserve(size_t size, size_t alignment)
{
    const uintptr_t page = numafy_os_page();
    void *p = numafy_os_mmap_(NULL, size + 2 * alignment, NUMAFY_PROT_NONE,
                              NUMAFY_MAP_ANON | NUMAFY_MAP_NORESERVE, -1, 0);
    return (intptr_t)p == -1 ? NULL
                             : (void *)(((uintptr_t)p + page + alignment - 1) & ~(alignment - 1));
}

/* Gives every page of the range memory, as its policy says. A negative errno: some have none. */
NUMAFY_FN_ int numafy_os_populate(uintptr_t start, size_t size)
{
    if (!numafy_os_madvise_((void *)start, size, NUMAFY_MADV_POPULATE_WRITE))
        return 0;
    if (errno != EINVAL) /* else an older kernel */
        return -errno;
    for (size_t at = 0, page = numafy_os_page(); at < size; at += page)
        __atomic_fetch_or((char *)(start + at), 0, __ATOMIC_RELAXED);
    return 0;
}

/* Whether all pages of the range have memory on `node`: 0, -EXDEV if one has not, or the negative
 * errno of a kernel that may not be asked. */
NUMAFY_FN_ int numafy_os_all_on(uintptr_t start, size_t size, int node)
{
    enum { BATCH = 512 };
    void *pages[BATCH];
    int status[BATCH];
    const size_t page = numafy_os_page();
    for (size_t at = 0; at < size;) {
        long n = 0;
        for (; n < BATCH && at < size; at += page)
            pages[n++] = (void *)(start + at);
        if (numafy_os_syscall_(SYS_move_pages, 0L, n, pages, (void *)NULL, status, 0L) < 0)
            return -errno;
        for (long i = 0; i < n; i++)
            if (status[i] != node)
                return -EXDEV;
    }
    return 0;
}

/* /proc/self/numa_maps, word by word: lines may be of any length, as there may be many nodes. */
struct numafy_words {
    int fd;
    int failed; /* a negative errno */
    size_t at, end;
    char word[128]; /* longer ones are cut */
    char buf[1024];
};

NUMAFY_FN_ int numafy_words_char(struct numafy_words *w)
{
    while (w->at == w->end) {
        const long r = numafy_os_read_(w->fd, w->buf, sizeof w->buf);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            w->failed = -errno;
        if (r <= 0)
            return -1;
        w->at = 0;
        w->end = (size_t)r;
    }
    return (unsigned char)w->buf[w->at++];
}

/* The next word; what ended it: a blank, '\n', or -1 for the end of the file. */
NUMAFY_FN_ int numafy_words_next(struct numafy_words *w)
{
    size_t n = 0;
    int c;
    while ((c = numafy_words_char(w)) > ' ')
        if (n < sizeof w->word - 1)
            w->word[n++] = (char)c;
    w->word[n] = 0;
    return c;
}

NUMAFY_FN_ uintptr_t numafy_parse_hex(const char *s)
{
    uintptr_t v = 0;
    for (; *s; s++)
        v = v * 16 + (uintptr_t)(*s <= '9' ? *s - '0' : (*s | 32) - 'a' + 10);
    return v;
}

/* One line of numa_maps: a mapping and how many pages it has on each node. */
struct numafy_mapping {
    uintptr_t start;
    size_t page; /* bytes */
    size_t pages[NUMAFY_NODES];
};

/* Reads the next line. False: there is none. */
NUMAFY_FN_ bool numafy_mapping_next(struct numafy_words *w, struct numafy_mapping *m)
{
    int end = numafy_words_next(w);
    if (end < 0)
        return false;
    __builtin_memset(m, 0, sizeof *m);
    m->start = numafy_parse_hex(w->word);
    m->page = numafy_os_page();
    while (end >= 0 && end != '\n') {
        unsigned node, n;
        end = numafy_words_next(w);
        const char *s = w->word;
        if (*s == 'N' && (s = numafy_parse_number(s + 1, NUMAFY_NODES - 1, &node)) && *s == '=' &&
            numafy_parse_number(s + 1, ~0u / 16, &n))
            m->pages[node] = n;
        else if (!__builtin_strncmp(w->word, "kernelpagesize_kB=", 18) &&
                 numafy_parse_number(w->word + 18, 1u << 30, &n))
            m->page = (size_t)n << 10;
    }
    return true;
}

NUMAFY_FN_ int numafy_words_open(struct numafy_words *w)
{
    w->at = w->end = 0;
    w->failed = 0;
    w->fd = numafy_os_open_("/proc/self/numa_maps", 02000000 /* O_RDONLY | O_CLOEXEC */);
    return w->fd < 0 ? -errno : 0;
}

/* The one node in the numa_maps line of the mapping that holds p; -EPERM if the mapping has pages
 * on several nodes or the file does not tell. Lines are sorted by address and name only starts. */
NUMAFY_FN_ int numafy_os_numa_maps(uintptr_t p)
{
    struct numafy_words w;
    struct numafy_mapping m;
    int found = -EPERM;
    if (numafy_words_open(&w))
        return -EPERM;
    while (numafy_mapping_next(&w, &m) && m.start <= p) {
        found = -ENOENT;
        for (int node = 0; node < NUMAFY_NODES; node++)
            if (m.pages[node])
                found = found == -ENOENT ? node : -EPERM;
    }
    numafy_os_close_(w.fd);
    return w.failed ? -EPERM : found;
}

NUMAFY_FN_ int numafy_os_resident(uintptr_t p)
{
    const size_t size = numafy_os_page();
    void *page = (void *)(p & ~(uintptr_t)(size - 1));
    int status = -ENOENT;
    long r = numafy_os_syscall_(SYS_move_pages, 0L, 1L, &page, (void *)NULL, &status, 0L);
    if (r < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES)) {
        /* numa_maps speaks of the whole mapping; whether this page of it exists, mincore tells. */
        unsigned char present = 1;
        if (numafy_os_syscall_(SYS_mincore, page, size, &present) < 0)
            return errno == ENOMEM ? -EFAULT : -errno;
        return present & 1 ? numafy_os_numa_maps(p) : -ENOENT;
    }
    return r < 0 ? -errno : status;
}

/* --- the CPU that runs us
 * The kernel keeps its number in a struct that glibc has registered for each thread; a load, where
 * getcpu is a call. -1: unknown. */
NUMAFY_FN_ int numafy_os_cpu(void)
{
#if defined(__x86_64__) && !defined(NUMAFY_TEST_FAULTS)
    if (&numafy_os_rseq_size_ && numafy_os_rseq_size_) {
        int cpu;
        __asm__("movl %%fs:4(%1), %0" : "=r"(cpu) : "r"(numafy_os_rseq_offset_) : "memory");
        if (cpu >= 0)
            return cpu;
    }
#endif
    return numafy_os_getcpu_();
}

/* --- a lock that a signal-free slow path and fork can use */
NUMAFY_FN_ bool numafy_lock_forks(struct numafy_mutex *lock)
{
    const unsigned long forking = __atomic_load_n(&lock->forking, __ATOMIC_RELAXED);
    return forking && forking == numafy_os_self_();
}

NUMAFY_FN_ void numafy_lock(struct numafy_mutex *lock)
{
    int free_ = 0;
    if (__atomic_compare_exchange_n(&lock->word, &free_, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    if (numafy_lock_forks(lock))
        return;
    while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE) != 0)
        numafy_os_syscall_(SYS_futex, &lock->word, 128L /* FUTEX_WAIT_PRIVATE */, 2L, (void *)NULL);
}

NUMAFY_FN_ void numafy_unlock(struct numafy_mutex *lock)
{
    if (numafy_lock_forks(lock))
        return;
    if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2)
        numafy_os_syscall_(SYS_futex, &lock->word, 129L /* FUTEX_WAKE_PRIVATE */, 1L);
}

/* From the first fork handler to the last the lock is held; in the child nobody waits for it. */
NUMAFY_FN_ void numafy_lock_fork_begin(struct numafy_mutex *lock)
{
    numafy_lock(lock);
    __atomic_store_n(&lock->forking, numafy_os_self_(), __ATOMIC_RELAXED);
}

NUMAFY_FN_ void numafy_lock_fork_end(struct numafy_mutex *lock, bool child)
{
    if (!child && !numafy_lock_forks(lock))
        return; /* not begun: made by a handler in between */
    __atomic_store_n(&lock->forking, 0, __ATOMIC_RELAXED);
    if (child)
        __atomic_store_n(&lock->word, 0, __ATOMIC_RELAXED);
    else
        numafy_unlock(lock);
}

/* Seconds since the machine started, in steps of some milliseconds; without a system call. */
NUMAFY_FN_ unsigned long numafy_os_seconds(void)
{
    long now[2] = {0, 0}; /* a struct timespec */
    numafy_os_clock_(6 /* CLOCK_MONOTONIC_COARSE */, now);
    return (unsigned long)now[0];
}

NUMAFY_FN_ void numafy_os_say(const char *text)
{
    size_t n = __builtin_strlen(text);
    while (n) {
        long r = numafy_os_syscall_(SYS_write, 2L, text, n);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            return;
        text += r;
        n -= (size_t)r;
    }
}

#endif /* NUMAFY_OS_H */
