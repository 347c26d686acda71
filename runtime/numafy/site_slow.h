/* SPDX-License-Identifier: Apache-2.0 */
/* site_slow.h: the news of site.h go to the file that NUMAFY_SITES names, each once per process:
 * the node, the line, the compiler's working folder and the file, each with a 0 behind it, by one
 * write at the end of the file. At once, so that no way to end a process loses them. It allocates
 * nothing and must not know pools. */
#ifndef NUMAFY_SITE_SLOW_H
#define NUMAFY_SITE_SLOW_H

#include "scope.h"

#ifndef NUMAFY_EXTERN

enum { NUMAFY_SITES_KNOWN = 1 << 16 };

/* Hashes of what is written already; NULL until the first. */
NUMAFY_WEAK_ uint64_t *numafy_sites_v3;

/* True for the first caller with these three. Without memory or room: again, which does no harm. */
NUMAFY_INNER_ bool numafy_site_is_new(const char *file, int line, int node)
{
    uint64_t *known = __atomic_load_n(&numafy_sites_v3, __ATOMIC_ACQUIRE), *none = NULL;
    uint64_t key = (uint64_t)(uintptr_t)file * 0x9e3779b97f4a7c15u;
    key = (key ^ key >> 29 ^ (uint64_t)(unsigned)line << 12 ^ (uint64_t)(unsigned)(node + 8)) *
          0xbf58476d1ce4e5b9u;
    key |= key == 0;
    if (!known) {
        uint64_t *made = (uint64_t *)numafy_os_map(NUMAFY_SITES_KNOWN * sizeof *made);
        if (!made)
            return true;
        if (__atomic_compare_exchange_n(&numafy_sites_v3, &none, made, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            known = made;
        else {
            numafy_os_munmap_(made, NUMAFY_SITES_KNOWN * sizeof *made);
            known = none;
        }
    }
    for (unsigned i = 0; i < 64; i++) {
        uint64_t *at = &known[(key + i) % NUMAFY_SITES_KNOWN], empty = 0;
        if (__atomic_compare_exchange_n(at, &empty, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
        if (empty == key)
            return false;
    }
    return true;
}

NUMAFY_INNER_ void numafy_site_write(const char *where, const char *folder, const char *file,
                                     int line, int node)
{
    char text[2 * 4096 + 64];
    const int n = snprintf(text, sizeof text, "%d%c%d%c%s%c%s", node, 0, line, 0, folder, 0, file);
    if (n < 0 || (size_t)n >= sizeof text)
        return;
    const long fd = numafy_os_syscall_(SYS_openat, -100 /* AT_FDCWD */, where,
                                       02002101 /* O_WRONLY, O_CREAT, O_APPEND, O_CLOEXEC */, 0666);
    if (fd < 0)
        return;
    numafy_os_syscall_(SYS_write, fd, text, (size_t)n + 1);
    numafy_os_syscall_(SYS_close, fd);
}

NUMAFY_INNER_ void numafy_site_note(int node, const char *folder, const char *file, int line)
{
    const int before = errno;
    const char *where;
    if (numafy_site_is_new(file, line, node) && (where = numafy_os_getenv_("NUMAFY_SITES")) &&
        *where)
        numafy_site_write(where, folder, file, line, node);
    errno = before;
}

NUMAFY_COLD_ const volatile void *numafy_site_near_(const volatile void *owner, const char *folder,
                                                    const char *file, int line) NUMAFY_DEF_NOTHROW_
{
    numafy_site_note(numafy_near_(owner), folder, file, line);
    return owner;
}

NUMAFY_COLD_ int numafy_site_on_(int node, const char *folder, const char *file,
                                 int line) NUMAFY_DEF_NOTHROW_
{
    numafy_site_note(node, folder, file, line);
    return node;
}

NUMAFY_COLD_ int numafy_site_scope_(int previous, const char *folder, const char *file,
                                    int line) NUMAFY_DEF_NOTHROW_
{
    numafy_site_note(numafy_tls_v3->ambient - 1, folder, file, line);
    return previous;
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_SITE_SLOW_H */
