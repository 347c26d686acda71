/* SPDX-License-Identifier: Apache-2.0 */
/* off.h: the C names under NUMAFY_OFF. A rewritten tree compiles to plain malloc and operator new,
 * with neither jemalloc nor libnuma nor libnumafy. Included by near.h alone; it must not need a
 * system header, hence the imports by assembler name. */
#ifndef NUMAFY_OFF_H
#define NUMAFY_OFF_H

#define NUMAFY_OFF_FN_ static __inline__ __attribute__((unused))
#ifdef __cplusplus
extern "C" {
#endif
void *numafy_off_malloc_(numafy_size) __asm__("malloc");
void *numafy_off_calloc_(numafy_size, numafy_size) __asm__("calloc");
void *numafy_off_realloc_(void *, numafy_size) __asm__("realloc");
void *numafy_off_aligned_(numafy_size, numafy_size) __asm__("aligned_alloc");
int numafy_off_memalign_(void **, numafy_size, numafy_size) __asm__("posix_memalign");
numafy_size numafy_off_usable_(void *) __asm__("malloc_usable_size");
void numafy_off_free_(void *) __asm__("free");

/* Tells units with pools that this one has none; see guard.h. */
extern __attribute__((weak, visibility("default"))) char numafy_off_unit;
char numafy_off_unit;

enum { NUMAFY_ENTRY_TEMPORARY_ = 0, NUMAFY_ENTRY_FRAME_ = 1, NUMAFY_ENTRY_OBJECT_ = 2 };

NUMAFY_OFF_FN_ void *numafy_malloc(int node, numafy_size size)
{
    (void)node;
    return numafy_off_malloc_(size);
}
NUMAFY_OFF_FN_ void *numafy_calloc(int node, numafy_size count, numafy_size size)
{
    (void)node;
    return numafy_off_calloc_(count, size);
}
NUMAFY_OFF_FN_ void *numafy_aligned_alloc(int node, numafy_size alignment, numafy_size size)
{
    (void)node;
    return numafy_off_aligned_(alignment, size);
}
NUMAFY_OFF_FN_ int numafy_posix_memalign(int node, void **out, numafy_size alignment,
                                         numafy_size size)
{
    (void)node;
    return numafy_off_memalign_(out, alignment, size);
}
NUMAFY_OFF_FN_ void *numafy_realloc(void *p, numafy_size size)
{
    return numafy_off_realloc_(p, size);
}
NUMAFY_OFF_FN_ void numafy_free(void *p)
{
    numafy_off_free_(p);
}
NUMAFY_OFF_FN_ numafy_size numafy_usable_size(const void *p)
{
    union {
        const void *given;
        void *plain;
    } u;
    u.given = p;
    return numafy_off_usable_(u.plain);
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ void *numafy_malloc_near(const volatile void *owner, numafy_size size)
{
    (void)owner;
    return numafy_off_malloc_(size);
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ void *numafy_calloc_near(const volatile void *owner, numafy_size count,
                                                      numafy_size size)
{
    (void)owner;
    return numafy_off_calloc_(count, size);
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ void *
numafy_aligned_alloc_near(const volatile void *owner, numafy_size alignment, numafy_size size)
{
    (void)owner;
    return numafy_off_aligned_(alignment, size);
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ void *numafy_realloc_near(const volatile void *owner, void *p,
                                                       numafy_size size)
{
    (void)owner;
    return numafy_off_realloc_(p, size);
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ int numafy_root_add(const volatile void *p, numafy_size size, int node)
{
    (void)p;
    (void)size;
    (void)node;
    return 0;
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ void numafy_root_remove(const volatile void *p)
{
    (void)p;
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ int numafy_enter(const volatile void *owner)
{
    (void)owner;
    return NUMAFY_NO_NODE;
}
NUMAFY_OFF_FN_ void *numafy_leave(const volatile void *result)
{
    union {
        const volatile void *given;
        void *plain;
    } u;
    u.given = result;
    return u.plain;
}
NUMAFY_OFF_FN_ long numafy_leave_int(long result)
{
    return result;
}
NUMAFY_OFF_FN_ int numafy_node_of(const void *p)
{
    (void)p;
    return NUMAFY_NO_NODE;
}
NUMAFY_OFF_FN_ int numafy_resident_node(const void *p)
{
    (void)p;
    return -38; /* -ENOSYS: nobody asks the kernel */
}
NUMAFY_OFF_FN_ int numafy_thread_bind(int node)
{
    (void)node;
    return 0;
}
NUMAFY_OFF_FN_ void numafy_thread_flush(void) {}
NUMAFY_OFF_FN_ void numafy_purge(int node)
{
    (void)node;
}
NUMAFY_OFF_FN_ const char *numafy_strerror(void)
{
    return "numafy is compiled out (NUMAFY_OFF)";
}
NUMAFY_OFF_FN_ int numafy_stats_json(char *buf, numafy_size len)
{
    static const char text[] = "{\"pools\":\"compiled out\",\"nodes\":[]}";
    numafy_size i;
    for (i = 0; i + 1 < len && text[i]; i++)
        buf[i] = text[i];
    if (len)
        buf[i] = 0;
    return (int)sizeof text - 1;
}

NUMAFY_OFF_FN_ NUMAFY_OWNER_ int numafy_near_(const volatile void *owner)
{
    (void)owner;
    return NUMAFY_NO_NODE;
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ int numafy_scope_(const volatile void *owner)
{
    (void)owner;
    return NUMAFY_NO_NODE;
}
NUMAFY_OFF_FN_ int numafy_scope_node_(int node)
{
    return node;
}
NUMAFY_OFF_FN_ void numafy_scope_end_(const int *previous)
{
    (void)previous;
}
NUMAFY_OFF_FN_ void numafy_push_(const void *key, int node, int kind)
{
    (void)key;
    (void)node;
    (void)kind;
}
NUMAFY_OFF_FN_ void numafy_pop_(int kind)
{
    (void)kind;
}
NUMAFY_OFF_FN_ void numafy_pop_key_(const void *key)
{
    (void)key;
}
NUMAFY_OFF_FN_ void numafy_pop_block_(const void *block)
{
    (void)block;
}

#ifdef __cplusplus
} /* extern "C" */

namespace std
{
struct nothrow_t;
#ifdef __cpp_aligned_new
enum class align_val_t : __SIZE_TYPE__;
#endif
} // namespace std

/* The plain operators, called with the values that <new> would give: nothrow's is never read. */
void *numafy_off_new_(numafy_size) __asm__("_Znwm");
void *numafy_off_new_aligned_(numafy_size, numafy_size) __asm__("_ZnwmSt11align_val_t");
NUMAFY_OFF_FN_ void *numafy_new_(numafy_size size, numafy_size alignment, int)
{
    return alignment ? numafy_off_new_aligned_(size, alignment) : numafy_off_new_(size);
}
NUMAFY_OFF_FN_ void *numafy_new_nothrow_(numafy_size size, numafy_size alignment,
                                         int) NUMAFY_NOTHROW_
{
    void *p = 0;
    if (!alignment)
        return numafy_off_malloc_(size ? size : 1);
    return numafy_off_memalign_(&p, alignment, size ? size : 1) ? 0 : p;
}
#endif
#endif /* NUMAFY_OFF_H */
