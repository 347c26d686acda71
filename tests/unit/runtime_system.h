// SPDX-License-Identifier: Apache-2.0
/* runtime_system.h: a kernel between the runtime and the real one, for a unit that is built with
 * NUMAFY_TEST_FAULTS. It has the nodes of the test's sysfs tree, whatever this machine has: mbind
 * to any of them is done on node 0, and a page is said to be where its range was bound. It counts
 * calls, notes what was asked, and refuses what it is told to. Include it behind numa_alloc.h. */
#ifndef RUNTIME_SYSTEM_H
#define RUNTIME_SYSTEM_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { SYSTEM_NAMES = 400 };

/* The calls that may be refused, by kind. */
enum system_call {
    CALL_MMAP,
    CALL_MUNMAP,
    CALL_MPROTECT,
    CALL_MADVISE,
    CALL_MREMAP,
    CALL_PRCTL,
    CALL_GETCPU,
    CALL_GETAFFINITY,
    CALL_SETAFFINITY,
    CALL_KEY_CREATE,
    CALL_SETSPECIFIC,
    CALL_ATFORK,
    CALL_MBIND,
    CALL_MOVE_PAGES,
    CALL_GET_MEMPOLICY,
    CALL_OPEN,
    CALL_READ,
    CALL_WRITE,
    CALL_OTHER,
    CALLS
};

static struct {
    unsigned long calls; // so far
    unsigned long fail;  // the number of the call that fails, from 1 on; 0: none
    int error;           // with this errno
    int all_of;          // every call of this kind fails, -1: none
    int cpu;             // what getcpu says, -1: the truth
    int cpu_node;        // and its node, if the sysfs tree has none
    int no_weights;      // 1: mbind knows no weighted interleaving
    int no_numa;         // 1: a kernel without NUMA
    int strange_policy;  // 1: get_mempolicy says EINVAL
    int full;            // a node whose memory is on node `full + 1` instead, -1: none
    unsigned long page;  // size of a page, 0: the truth
    struct {
        int mode;
        unsigned long maxnode, start, size;
        uint64_t mask[NUMAFY_WORDS];
    } bind; // the last mbind
    unsigned long binds, opens, asked;
    char opened[SYSTEM_NAMES][96];
} kernel = {.all_of = -1, .cpu = -1, .full = -1};

static bool refused(enum system_call kind)
{
    const unsigned long n = __atomic_add_fetch(&kernel.calls, 1, __ATOMIC_RELAXED);
    if (n != kernel.fail && (int)kind != kernel.all_of)
        return false;
    errno = kernel.error;
    return true;
}

void *test_mmap(void *at, size_t size, int prot, int flags, int fd, long offset);
void *test_mmap(void *at, size_t size, int prot, int flags, int fd, long offset)
{
    return refused(CALL_MMAP) ? MAP_FAILED : mmap(at, size, prot, flags, fd, offset);
}

int test_munmap(void *p, size_t size);
int test_munmap(void *p, size_t size)
{
    return refused(CALL_MUNMAP) ? -1 : munmap(p, size);
}

int test_mprotect(void *p, size_t size, int prot);
int test_mprotect(void *p, size_t size, int prot)
{
    return refused(CALL_MPROTECT) ? -1 : mprotect(p, size, prot);
}

int test_madvise(void *p, size_t size, int advice);
int test_madvise(void *p, size_t size, int advice)
{
    return refused(CALL_MADVISE) ? -1 : madvise(p, size, advice);
}

void *test_mremap(void *p, size_t old, size_t size, int flags, void *to);
void *test_mremap(void *p, size_t old, size_t size, int flags, void *to)
{
    return refused(CALL_MREMAP) ? MAP_FAILED : mremap(p, old, size, flags, to);
}

int test_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int test_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    return refused(CALL_PRCTL) ? -1 : prctl(what, a, b, c, d);
}

int test_sched_getcpu(void);
int test_sched_getcpu(void)
{
    return refused(CALL_GETCPU) ? -1 : kernel.cpu >= 0 ? kernel.cpu : sched_getcpu();
}

int test_sched_getaffinity(int pid, size_t size, void *set);
int test_sched_getaffinity(int pid, size_t size, void *set)
{
    return refused(CALL_GETAFFINITY) ? -1 : sched_getaffinity(pid, size, set);
}

int test_sched_setaffinity(int pid, size_t size, const void *set);
int test_sched_setaffinity(int pid, size_t size, const void *set)
{
    return refused(CALL_SETAFFINITY) ? -1 : sched_setaffinity(pid, size, set);
}

int test_pthread_key_create(pthread_key_t *key, void (*end)(void *));
int test_pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
    return refused(CALL_KEY_CREATE) ? kernel.error : pthread_key_create(key, end);
}

int test_pthread_setspecific(pthread_key_t key, const void *p);
int test_pthread_setspecific(pthread_key_t key, const void *p)
{
    return refused(CALL_SETSPECIFIC) ? kernel.error : pthread_setspecific(key, p);
}

int test_pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void));
int test_pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    return refused(CALL_ATFORK) ? kernel.error : pthread_atfork(before, parent, child);
}

unsigned long test_getauxval(unsigned long type);
unsigned long test_getauxval(unsigned long type)
{
    return type == AT_PAGESZ && kernel.page ? kernel.page : getauxval(type);
}

// --- direct system calls
/* A container may forbid what this kernel grants: then it is done in name. */
static long allowed(long result)
{
    return result < 0 && errno == EPERM ? 0 : result;
}

/* Of pages that nobody may ask the real kernel about: on node 0, or not there. */
static long kernel_present(const long *a)
{
    unsigned char present;
    void **pages = (void **)a[2];
    for (long i = 0; i < a[1]; i++) {
        const uintptr_t page = (uintptr_t)pages[i] & ~(uintptr_t)4095;
        present = 0;
        const int e = mincore((void *)page, 4096, &present) ? -EFAULT : 0;
        ((int *)a[4])[i] = e ? e : present & 1 ? 0 : -ENOENT;
    }
    return 0;
}

static long kernel_mbind(const long *a)
{
    const uint64_t *mask = (const uint64_t *)a[3];
    uint64_t zero[NUMAFY_WORDS] = {1};
    kernel.binds++;
    kernel.bind.mode = (int)a[2];
    kernel.bind.maxnode = (unsigned long)a[4];
    kernel.bind.start = (unsigned long)a[0];
    kernel.bind.size = (unsigned long)a[1];
    memcpy(kernel.bind.mask, mask, sizeof kernel.bind.mask);
    if (kernel.no_numa)
        return errno = ENOSYS, -1;
    if (a[2] == NUMAFY_MPOL_WEIGHTED_INTERLEAVE && kernel.no_weights)
        return errno = EINVAL, -1;
    // The real kernel may be older than this one.
    const long mode = a[2] == NUMAFY_MPOL_WEIGHTED_INTERLEAVE ? NUMAFY_MPOL_INTERLEAVE : a[2];
    return allowed(syscall(SYS_mbind, a[0], a[1], mode, zero, (long)NUMAFY_NODES + 1, 0L));
}

/* Where the range was bound, or the node beside it. */
static long kernel_move_pages(const long *a)
{
    int *status = (int *)a[4];
    void **pages = (void **)a[2];
    kernel.asked += (unsigned long)a[1];
    long r = syscall(SYS_move_pages, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (r < 0 && errno == EPERM)
        r = kernel_present(a);
    for (long i = 0; r == 0 && i < a[1]; i++) {
        const size_t d = (uintptr_t)pages[i] - numafy_state_v3.base;
        const size_t slot = d < numafy_state_v3.span ? (d >> numafy_state_v3.shift) + 1 : 0;
        if (status[i] == 0 && slot) {
            const int node = numafy_pools_v3.slot[slot].mapped;
            status[i] = node == kernel.full ? node + 1 : node;
        }
    }
    return r;
}

/* Forbidden: no policy. */
static long kernel_get_mempolicy(const long *a)
{
    const long r = syscall(SYS_get_mempolicy, a[0], a[1], a[2], a[3], a[4]);
    if (r < 0 && errno == EPERM && a[0])
        *(int *)a[0] = NUMAFY_MPOL_DEFAULT;
    return allowed(r);
}

static enum system_call kind_of(long number)
{
    switch (number) {
    case SYS_mbind:
        return CALL_MBIND;
    case SYS_move_pages:
        return CALL_MOVE_PAGES;
    case SYS_get_mempolicy:
        return CALL_GET_MEMPOLICY;
    case SYS_openat:
        return CALL_OPEN;
    case SYS_read:
        return CALL_READ;
    case SYS_write:
        return CALL_WRITE;
    default:
        return CALL_OTHER;
    }
}

long test_syscall(long number, ...);
long test_syscall(long number, ...)
{
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    // These cannot fail.
    if (number != SYS_gettid && number != SYS_getpid && number != SYS_sched_yield &&
        refused(kind_of(number)))
        return -1;
    switch (number) {
    case SYS_mbind:
        return kernel_mbind(a);
    case SYS_move_pages:
        return kernel_move_pages(a);
    case SYS_get_mempolicy:
        if (kernel.strange_policy || kernel.no_numa)
            return errno = kernel.no_numa ? ENOSYS : EINVAL, -1;
        return kernel_get_mempolicy(a);
    case SYS_getcpu:
        *(unsigned *)a[0] = (unsigned)kernel.cpu;
        *(unsigned *)a[1] = (unsigned)kernel.cpu_node;
        return 0;
    case SYS_openat:
        if (kernel.opens < SYSTEM_NAMES)
            snprintf(kernel.opened[kernel.opens], sizeof kernel.opened[0], "%s", (char *)a[1]);
        kernel.opens++;
        break;
    default:
        break;
    }
    return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif
