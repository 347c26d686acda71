/* SPDX-License-Identifier: Apache-2.0 */
/* next.h: the allocator below ours: which functions stand behind malloc and free, and whether the
 * program's own free leads to us. It must not know pools, nodes or threads. */
#ifndef NUMAFY_NEXT_H
#define NUMAFY_NEXT_H

#include "hooks.h"
#include "state.h"

#ifndef NUMAFY_EXTERN

/* The program's functions by name, for a static program, where dlsym finds nothing. */
void *numafy_named_malloc_(size_t) __asm__("malloc");
void *numafy_named_calloc_(size_t, size_t) __asm__("calloc");
void *numafy_named_realloc_(void *, size_t) __asm__("realloc");
void numafy_named_free_(void *) __asm__("free");
void *numafy_named_memalign_(size_t, size_t) __asm__("memalign");
size_t numafy_named_usable_size_(void *) __asm__("malloc_usable_size");

/* What stands behind ours in a static program: jemalloc, by the names that nobody replaces. */
NUMAFY_INNER_ void *numafy_static_give(size_t size, int flags)
{
    void *p = numafy_je_mallocx_(size <= 8 ? 16 : size, flags);
    if (!p)
        errno = ENOMEM;
    return p;
}
NUMAFY_INNER_ void *numafy_static_malloc(size_t size)
{
    return numafy_static_give(size, 0);
}
NUMAFY_INNER_ void *numafy_static_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes))
        return numafy_static_give(bytes, NUMAFY_JE_ZERO);
    errno = ENOMEM;
    return NULL;
}
NUMAFY_INNER_ void *numafy_static_memalign(size_t alignment, size_t size)
{
    if (alignment && !(alignment & (alignment - 1)))
        return numafy_static_give(size, __builtin_ctzl(alignment));
    errno = EINVAL;
    return NULL;
}
NUMAFY_INNER_ void numafy_static_free(void *p)
{
    if (p)
        numafy_je_dallocx_(p, 0);
}
NUMAFY_INNER_ void *numafy_static_realloc(void *p, size_t size)
{
    void *to = NULL;
    if (!p)
        return numafy_static_give(size, 0);
    if (!size)
        numafy_je_dallocx_(p, 0);
    else if (!(to = numafy_je_rallocx_(p, size <= 8 ? 16 : size, 0)))
        errno = ENOMEM;
    return to;
}
NUMAFY_INNER_ size_t numafy_static_usable_size(void *p)
{
    return p ? numafy_je_sallocx_(p, 0) : 0;
}

enum { NUMAFY_RTLD_NEXT = -1, NUMAFY_RTLD_DEFAULT = 0 };

NUMAFY_INNER_ void numafy_next_fill_static(struct numafy_next *n, bool behind)
{
    n->malloc_ = behind ? numafy_static_malloc : numafy_named_malloc_;
    n->calloc_ = behind ? numafy_static_calloc : numafy_named_calloc_;
    n->realloc_ = behind ? numafy_static_realloc : numafy_named_realloc_;
    n->free_ = behind ? numafy_static_free : numafy_named_free_;
    n->memalign_ = behind ? numafy_static_memalign : numafy_named_memalign_;
    n->usable_size_ = behind ? numafy_static_usable_size : numafy_named_usable_size_;
}

/* The functions that follow ours (RTLD_NEXT: behind the object with this code; numafy_probe below
 * finds out whether that is right) or those that the program calls (RTLD_DEFAULT). */
NUMAFY_INNER_ void numafy_next_fill(struct numafy_next *n, void *handle)
{
    if (numafy_os_is_static()) {
        numafy_next_fill_static(n, handle != NULL);
        return;
    }
    n->malloc_ = (void *(*)(size_t))numafy_os_dlsym_(handle, "malloc");
    n->calloc_ = (void *(*)(size_t, size_t))numafy_os_dlsym_(handle, "calloc");
    n->realloc_ = (void *(*)(void *, size_t))numafy_os_dlsym_(handle, "realloc");
    n->free_ = (void (*)(void *))numafy_os_dlsym_(handle, "free");
    n->memalign_ = (void *(*)(size_t, size_t))numafy_os_dlsym_(handle, "memalign");
    n->usable_size_ = (size_t(*)(void *))numafy_os_dlsym_(handle, "malloc_usable_size");
    if (!n->malloc_ || !n->calloc_ || !n->realloc_ || !n->free_ || !n->memalign_ ||
        !n->usable_size_) {
        numafy_os_say("numafy: no malloc, free or memalign stands behind ours: is the C library "
                      "not glibc?\n");
        __builtin_trap();
    }
}

/* Functions that show whether a call leads back to us. They stand in state.next for a moment; calls
 * of other threads, and others than the one that asks, go on to the real ones: jemalloc may start
 * threads of its own when it is first called. */
enum { NUMAFY_ASKED_SIZE = 20053 };
NUMAFY_WEAK_ void *numafy_asked_block_v3;
NUMAFY_WEAK_ int numafy_led_back_v3;
NUMAFY_WEAK_ unsigned long numafy_asking_v3;
NUMAFY_WEAK_ struct numafy_next numafy_behind_v3;

NUMAFY_FN_ bool numafy_sinks(bool asked)
{
    if (!asked || numafy_asking_v3 != numafy_os_self_())
        return false;
    numafy_led_back_v3 = 1;
    return true;
}
NUMAFY_INNER_ void *numafy_sink_malloc(size_t size)
{
    return numafy_sinks(size == NUMAFY_ASKED_SIZE) ? NULL : numafy_behind_v3.malloc_(size);
}
NUMAFY_INNER_ void *numafy_sink_calloc(size_t count, size_t size)
{
    return numafy_sinks(size == NUMAFY_ASKED_SIZE) ? NULL : numafy_behind_v3.calloc_(count, size);
}
NUMAFY_INNER_ void *numafy_sink_memalign(size_t alignment, size_t size)
{
    return numafy_sinks(size == NUMAFY_ASKED_SIZE) ? NULL
                                                   : numafy_behind_v3.memalign_(alignment, size);
}
NUMAFY_INNER_ void *numafy_sink_realloc(void *p, size_t size)
{
    return numafy_sinks(p == numafy_asked_block_v3) ? p : numafy_behind_v3.realloc_(p, size);
}
NUMAFY_INNER_ size_t numafy_sink_usable_size(void *p)
{
    return numafy_sinks(p == numafy_asked_block_v3) ? 0 : numafy_behind_v3.usable_size_(p);
}

NUMAFY_FN_ void numafy_sinks_begin(const struct numafy_next *behind)
{
    numafy_behind_v3 = *behind;
    numafy_asking_v3 = numafy_os_self_();
    numafy_state_v3.next.malloc_ = numafy_sink_malloc;
    numafy_state_v3.next.calloc_ = numafy_sink_calloc;
    numafy_state_v3.next.memalign_ = numafy_sink_memalign;
    numafy_state_v3.next.realloc_ = numafy_sink_realloc;
    numafy_state_v3.next.usable_size_ = numafy_sink_usable_size;
    numafy_led_back_v3 = 0;
}

/* Whether a sink was called since the last question. */
NUMAFY_FN_ bool numafy_led_back(void)
{
    const bool back = numafy_led_back_v3;
    numafy_led_back_v3 = 0;
    return back;
}

/* What stands behind the object that runs this. A library that has the header too has its own
 * malloc, which would lead back to us: its numafy_chain_v3 knows what is behind it. That is found
 * out by a call: a dlsym that fails would leave a block that the program's next dlsym frees. */
NUMAFY_INNER_ void numafy_next_behind(struct numafy_next *n)
{
    void *const handle = (void *)(intptr_t)NUMAFY_RTLD_NEXT;
    numafy_next_fill(n, handle);
    numafy_sinks_begin(n);
    void *p = n->malloc_(NUMAFY_ASKED_SIZE);
    if (numafy_led_back()) {
        const numafy_function chain = numafy_os_dlsym_(handle, "numafy_chain_v3");
        if (!chain) {
            numafy_os_say("numafy: a library defines numafy's malloc and hides numafy_*: link it "
                          "without -Wl,--version-script that does so\n");
            __builtin_trap();
        }
        ((void (*)(struct numafy_next *))chain)(n);
    } else {
        n->free_(p);
    }
    numafy_state_v3.next = *n;
}

void numafy_chain_v3(struct numafy_next *n);
NUMAFY_COLD_ void numafy_chain_v3(struct numafy_next *n)
{
    numafy_next_behind(n);
}

/* The functions that the program calls, for when the pools are off: what a program frees by its own
 * free must come from its own malloc. Where the global function is ours, as when a program has a
 * free of its own but no malloc, the one behind it stays. */
NUMAFY_INNER_ void numafy_next_global(void)
{
    struct numafy_next *const next = &numafy_state_v3.next;
    struct numafy_next global, behind = *next;
    numafy_next_fill(&global, (void *)(intptr_t)NUMAFY_RTLD_DEFAULT);
    void *const block = global.malloc_(64);
    void *p;
    numafy_asked_block_v3 = block;
    numafy_sinks_begin(&behind);
    if ((p = global.malloc_(NUMAFY_ASKED_SIZE), numafy_led_back()))
        global.malloc_ = behind.malloc_;
    else
        global.free_(p);
    if ((p = global.calloc_(1, NUMAFY_ASKED_SIZE), numafy_led_back()))
        global.calloc_ = behind.calloc_;
    else
        global.free_(p);
    if ((p = global.memalign_(64, NUMAFY_ASKED_SIZE), numafy_led_back()))
        global.memalign_ = behind.memalign_;
    else
        global.free_(p);
    if (((void)global.usable_size_(block), numafy_led_back()))
        global.usable_size_ = behind.usable_size_;
    if ((p = global.realloc_(block, 64), numafy_led_back()))
        global.realloc_ = behind.realloc_;
    *next = behind;
    global.free_(p);
    *next = global;
}

/* Set in a unit that replaces malloc and free; absent when no unit does (NUMAFY_NO_REPLACE). */
extern NUMAFY_EXPORT_ __attribute__((weak)) int numafy_replaces_v3;

/* Without replacement the global functions are not ours. */
NUMAFY_FN_ int numafy_first_place(void)
{
    return &numafy_replaces_v3 ? NUMAFY_RTLD_NEXT : NUMAFY_RTLD_DEFAULT;
}

#if NUMAFY_POISONS_
void *numafy_asan_malloc_(size_t) __asm__("__interceptor_malloc");
void *numafy_asan_calloc_(size_t, size_t) __asm__("__interceptor_calloc");
void *numafy_asan_realloc_(void *, size_t) __asm__("__interceptor_realloc");
void numafy_asan_free_(void *) __asm__("__interceptor_free");
void *numafy_asan_memalign_(size_t, size_t) __asm__("__interceptor_memalign");
size_t numafy_asan_usable_size_(void *) __asm__("__interceptor_malloc_usable_size");

/* The sanitizer's, by name: it calls malloc while it starts, when dlsym would not do. */
NUMAFY_INNER_ void numafy_next_find(void)
{
    const struct numafy_next n = {numafy_asan_malloc_,   numafy_asan_calloc_,
                                  numafy_asan_realloc_,  numafy_asan_free_,
                                  numafy_asan_memalign_, numafy_asan_usable_size_};
    numafy_state_v3.next = n;
}
#else
/* The thread that looks for the functions behind ours. dlsym allocates when it fails, and that
 * allocation would look for them again, without end. */
NUMAFY_WEAK_ unsigned long numafy_finding_v3;

/* Runs inside the first malloc of the process. */
NUMAFY_INNER_ void numafy_next_find(void)
{
    struct numafy_next n;
    if (numafy_finding_v3 == numafy_os_self_()) {
        numafy_os_say("numafy: looking for the malloc behind ours came back to ours: is the C "
                      "library not glibc?\n");
        __builtin_trap();
    }
    numafy_finding_v3 = numafy_os_self_();
    if (numafy_first_place() == NUMAFY_RTLD_NEXT)
        numafy_next_behind(&n);
    else
        numafy_next_fill(&n, (void *)(intptr_t)NUMAFY_RTLD_DEFAULT);
    numafy_state_v3.next = n;
    numafy_finding_v3 = 0;
}
#endif

NUMAFY_COLD_ void *numafy_first_malloc_(size_t size)
{
    numafy_next_find();
    return numafy_state_v3.next.malloc_(size);
}
NUMAFY_COLD_ void *numafy_first_calloc_(size_t count, size_t size)
{
    numafy_next_find();
    return numafy_state_v3.next.calloc_(count, size);
}
NUMAFY_COLD_ void *numafy_first_realloc_(void *p, size_t size)
{
    numafy_next_find();
    return numafy_state_v3.next.realloc_(p, size);
}
NUMAFY_COLD_ void numafy_first_free_(void *p)
{
    numafy_next_find();
    numafy_state_v3.next.free_(p);
}
NUMAFY_COLD_ void *numafy_first_memalign_(size_t alignment, size_t size)
{
    numafy_next_find();
    return numafy_state_v3.next.memalign_(alignment, size);
}
NUMAFY_COLD_ size_t numafy_first_usable_size_(void *p)
{
    numafy_next_find();
    return numafy_state_v3.next.usable_size_(p);
}

/* Frees a fresh block by the program's global malloc and free, with next pointing at a function
 * that notes the call: does it come through ours? Comparing addresses would not do: a non-PIE
 * program has its own idea of &free. Runs once, under the lock. */
NUMAFY_WEAK_ int numafy_probe_seen_v3;
NUMAFY_WEAK_ void *numafy_probe_block_v3;
NUMAFY_WEAK_ void (*numafy_probe_free_next_v3)(void *);

NUMAFY_INNER_ void numafy_probe_free(void *p)
{
    if (p == __atomic_load_n(&numafy_probe_block_v3, __ATOMIC_RELAXED))
        __atomic_store_n(&numafy_probe_seen_v3, 1, __ATOMIC_RELAXED);
    numafy_probe_free_next_v3(p);
}

NUMAFY_INNER_ bool numafy_probe(void)
{
    struct numafy_next global;
    numafy_next_fill(&global, (void *)(intptr_t)NUMAFY_RTLD_DEFAULT);
    void *p = global.malloc_(32); /* through ours it has found next, if that was still open */
    if (!p)
        return false;
    if (numafy_state_v3.next.free_ == numafy_first_free_)
        numafy_next_find();
    numafy_probe_free_next_v3 = numafy_state_v3.next.free_;
    __atomic_store_n(&numafy_probe_block_v3, p, __ATOMIC_RELAXED);
    numafy_state_v3.next.free_ = numafy_probe_free;
    global.free_(p);
    numafy_state_v3.next.free_ = numafy_probe_free_next_v3;
    return numafy_probe_seen_v3;
}

/* Why the pools are off when the probe has failed, and the link line that helps. To be asked when
 * next is settled: dlsym allocates if nothing is found. */
NUMAFY_INNER_ const char *numafy_probe_advice(void)
{
    if (NUMAFY_POISONS_)
        return "free is the sanitizer's, not ours: define NUMAFY_STRONG in one unit of the program";
    /* jemalloc in the program itself is an archive, whose malloc the linker prefers to weak ones */
    if (numafy_os_is_static() || !numafy_os_dlsym_((void *)(intptr_t)NUMAFY_RTLD_NEXT, "mallocx"))
        return "free is libjemalloc.a's, not ours. Compile with -DNUMAFY_STRONG and link with "
               "-Wl,-z,muldefs, or link the shared -ljemalloc";
    return "the program's free is not ours. Link the program itself with numa_alloc.h, or with "
           "-Wl,--no-as-needed -lnumafy -ljemalloc before other allocators, and "
           "-Wl,--export-dynamic-symbol=numafy_*";
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_NEXT_H */
