/* SPDX-License-Identifier: Apache-2.0 */
/* off.h: the C names under NUMAFY_OFF. A rewritten tree compiles to plain malloc and operator new,
 * with neither jemalloc nor libnuma nor libnumafy; near.h's placed forms call operator new
 * themselves. Included by near.h alone; it must not need a system header, hence the imports by
 * assembler name. */
#ifndef NUMAFY_OFF_H
#define NUMAFY_OFF_H

#define NUMAFY_OFF_FN_ static __inline__ __attribute__((__unused__))
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
extern __attribute__((__weak__, __visibility__("default"))) char numafy_off_unit;
char numafy_off_unit;

#define NUMAFY_ACTIVE_ 0
enum { NUMAFY_ENTRY_TEMPORARY_ = 0, NUMAFY_ENTRY_FRAME_ = 1, NUMAFY_ENTRY_OBJECT_ = 2 };

NUMAFY_OFF_FN_ void *numafy_malloc(int numafy_node_, numafy_size numafy_size_)
{
    (void)numafy_node_;
    return numafy_off_malloc_(numafy_size_);
}
NUMAFY_OFF_FN_ void *numafy_calloc(int numafy_node_, numafy_size numafy_count_,
                                   numafy_size numafy_size_)
{
    (void)numafy_node_;
    return numafy_off_calloc_(numafy_count_, numafy_size_);
}
NUMAFY_OFF_FN_ void *numafy_aligned_alloc(int numafy_node_, numafy_size numafy_alignment_,
                                          numafy_size numafy_size_)
{
    (void)numafy_node_;
    return numafy_off_aligned_(numafy_alignment_, numafy_size_);
}
NUMAFY_OFF_FN_ int numafy_posix_memalign(int numafy_node_, void **numafy_out_,
                                         numafy_size numafy_alignment_, numafy_size numafy_size_)
{
    (void)numafy_node_;
    return numafy_off_memalign_(numafy_out_, numafy_alignment_, numafy_size_);
}
NUMAFY_OFF_FN_ void *numafy_realloc(void *numafy_p_, numafy_size numafy_size_)
{
    return numafy_off_realloc_(numafy_p_, numafy_size_);
}
NUMAFY_OFF_FN_ void numafy_free(void *numafy_p_)
{
    numafy_off_free_(numafy_p_);
}
NUMAFY_OFF_FN_ numafy_size numafy_usable_size(const void *numafy_p_)
{
    union {
        const void *numafy_given_;
        void *numafy_plain_;
    } numafy_u_;
    numafy_u_.numafy_given_ = numafy_p_;
    return numafy_off_usable_(numafy_u_.numafy_plain_);
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ void *numafy_malloc_near(const volatile void *numafy_owner_,
                                                      numafy_size numafy_size_)
{
    (void)numafy_owner_;
    return numafy_off_malloc_(numafy_size_);
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ void *numafy_calloc_near(const volatile void *numafy_owner_,
                                                      numafy_size numafy_count_,
                                                      numafy_size numafy_size_)
{
    (void)numafy_owner_;
    return numafy_off_calloc_(numafy_count_, numafy_size_);
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ void *numafy_aligned_alloc_near(const volatile void *numafy_owner_,
                                                             numafy_size numafy_alignment_,
                                                             numafy_size numafy_size_)
{
    (void)numafy_owner_;
    return numafy_off_aligned_(numafy_alignment_, numafy_size_);
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ void *numafy_realloc_near(const volatile void *numafy_owner_,
                                                       void *numafy_p_, numafy_size numafy_size_)
{
    (void)numafy_owner_;
    return numafy_off_realloc_(numafy_p_, numafy_size_);
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ int numafy_root_add(const volatile void *numafy_p_,
                                                 numafy_size numafy_size_, int numafy_node_)
{
    (void)numafy_p_;
    (void)numafy_size_;
    (void)numafy_node_;
    return 0;
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ void numafy_root_remove(const volatile void *numafy_p_)
{
    (void)numafy_p_;
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ int numafy_enter(const volatile void *numafy_owner_)
{
    (void)numafy_owner_;
    return NUMAFY_NO_NODE;
}
NUMAFY_OFF_FN_ int numafy_enter_on(int numafy_node_)
{
    (void)numafy_node_;
    return NUMAFY_NO_NODE;
}
NUMAFY_OFF_FN_ void *numafy_leave(const volatile void *numafy_result_)
{
    union {
        const volatile void *numafy_given_;
        void *numafy_plain_;
    } numafy_u_;
    numafy_u_.numafy_given_ = numafy_result_;
    return numafy_u_.numafy_plain_;
}
NUMAFY_OFF_FN_ long numafy_leave_int(long numafy_result_)
{
    return numafy_result_;
}
NUMAFY_OFF_FN_ int numafy_node_of(const void *numafy_p_)
{
    (void)numafy_p_;
    return NUMAFY_NO_NODE;
}
NUMAFY_OFF_FN_ int numafy_resident_node(const void *numafy_p_)
{
    (void)numafy_p_;
    return -38; /* -ENOSYS: nobody asks the kernel */
}
NUMAFY_OFF_FN_ int numafy_thread_bind(int numafy_node_)
{
    (void)numafy_node_;
    return 0;
}
NUMAFY_OFF_FN_ void numafy_thread_flush(void) {}
NUMAFY_OFF_FN_ void numafy_purge(int numafy_node_)
{
    (void)numafy_node_;
}
NUMAFY_OFF_FN_ const char *numafy_strerror(void)
{
    return "numafy is compiled out (NUMAFY_OFF)";
}
NUMAFY_OFF_FN_ int numafy_stats_json(char *numafy_buf_, numafy_size numafy_len_)
{
    static const char numafy_text_[] = "{\"pools\":\"compiled numafy_out_\",\"nodes\":[]}";
    numafy_size numafy_i_;
    for (numafy_i_ = 0; numafy_i_ + 1 < numafy_len_ && numafy_text_[numafy_i_]; numafy_i_++)
        numafy_buf_[numafy_i_] = numafy_text_[numafy_i_];
    if (numafy_len_)
        numafy_buf_[numafy_i_] = 0;
    return (int)sizeof numafy_text_ - 1;
}

NUMAFY_OFF_FN_ NUMAFY_OWNER_ int numafy_near_(const volatile void *numafy_owner_)
{
    (void)numafy_owner_;
    return NUMAFY_NO_NODE;
}
NUMAFY_OFF_FN_ NUMAFY_OWNER_ int numafy_scope_(const volatile void *numafy_owner_)
{
    (void)numafy_owner_;
    return NUMAFY_NO_NODE;
}
NUMAFY_OFF_FN_ int numafy_scope_node_(int numafy_node_)
{
    return numafy_node_;
}
NUMAFY_OFF_FN_ void numafy_scope_out_(const int *numafy_previous_)
{
    (void)numafy_previous_;
}
NUMAFY_OFF_FN_ void numafy_push_(const void *numafy_key_, int numafy_node_, int numafy_kind_)
{
    (void)numafy_key_;
    (void)numafy_node_;
    (void)numafy_kind_;
}
NUMAFY_OFF_FN_ void numafy_pop_(int numafy_kind_)
{
    (void)numafy_kind_;
}
NUMAFY_OFF_FN_ void numafy_pop_key_(const void *numafy_key_)
{
    (void)numafy_key_;
}
NUMAFY_OFF_FN_ void numafy_pop_block_(const void *numafy_block_)
{
    (void)numafy_block_;
}

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* NUMAFY_OFF_H */
