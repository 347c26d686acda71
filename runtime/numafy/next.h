/* SPDX-License-Identifier: Apache-2.0 */
/* next.h: the allocator below ours: which functions stand behind malloc and free, and whether the
 * program's own free leads to us. It must not know pools, nodes or threads. */
#ifndef NUMAFY_NEXT_H
#define NUMAFY_NEXT_H

#include "os.h"
#include "state.h"

#ifndef NUMAFY_EXTERN

/* Finds the functions that follow ours. RTLD_NEXT names what stands behind the object with this
 * code; numafy_probe below finds out whether that is right. Runs inside the first malloc of the
 * process: dlsym allocates when it fails, hence next is set before it may. */
enum { NUMAFY_RTLD_NEXT = -1, NUMAFY_RTLD_DEFAULT = 0 };

NUMAFY_INNER_ void numafy_next_fill(struct numafy_next *n, void *handle)
{
    n->malloc_ = (void *(*)(size_t))numafy_os_dlsym_(handle, "malloc");
    n->calloc_ = (void *(*)(size_t, size_t))numafy_os_dlsym_(handle, "calloc");
    n->realloc_ = (void *(*)(void *, size_t))numafy_os_dlsym_(handle, "realloc");
    n->free_ = (void (*)(void *))numafy_os_dlsym_(handle, "free");
    n->memalign_ = (void *(*)(size_t, size_t))numafy_os_dlsym_(handle, "memalign");
    n->usable_size_ = (size_t(*)(void *))numafy_os_dlsym_(handle, "malloc_usable_size");
    if (!n->malloc_ || !n->calloc_ || !n->realloc_ || !n->free_ || !n->memalign_ ||
        !n->usable_size_) {
        numafy_os_say("numafy: no malloc, free or memalign behind ours: a static program? Link the "
                      "C library dynamically\n");
        __builtin_trap();
    }
}

/* Functions that show whether a call leads back to us. They stand in state.next for a moment;
 * threads other than the one that asks go on to the real ones. */
NUMAFY_WEAK_ int numafy_led_back_v2;
NUMAFY_WEAK_ unsigned long numafy_asking_v2;
NUMAFY_WEAK_ struct numafy_next numafy_behind_v2;

NUMAFY_FN_ bool numafy_sinks(void)
{
    if (numafy_asking_v2 != numafy_os_self_())
        return false;
    numafy_led_back_v2 = 1;
    return true;
}
NUMAFY_INNER_ void *numafy_sink_malloc(size_t size)
{
    return numafy_sinks() ? NULL : numafy_behind_v2.malloc_(size);
}
NUMAFY_INNER_ void *numafy_sink_calloc(size_t count, size_t size)
{
    return numafy_sinks() ? NULL : numafy_behind_v2.calloc_(count, size);
}
NUMAFY_INNER_ void *numafy_sink_memalign(size_t alignment, size_t size)
{
    return numafy_sinks() ? NULL : numafy_behind_v2.memalign_(alignment, size);
}
NUMAFY_INNER_ void *numafy_sink_realloc(void *p, size_t size)
{
    return numafy_sinks() ? p : numafy_behind_v2.realloc_(p, size);
}
NUMAFY_INNER_ size_t numafy_sink_usable_size(void *p)
{
    return numafy_sinks() ? 0 : numafy_behind_v2.usable_size_(p);
}

NUMAFY_FN_ void numafy_sinks_begin(const struct numafy_next *behind)
{
    numafy_behind_v2 = *behind;
    numafy_asking_v2 = numafy_os_self_();
    numafy_state_v2.next.malloc_ = numafy_sink_malloc;
    numafy_state_v2.next.calloc_ = numafy_sink_calloc;
    numafy_state_v2.next.memalign_ = numafy_sink_memalign;
    numafy_state_v2.next.realloc_ = numafy_sink_realloc;
    numafy_state_v2.next.usable_size_ = numafy_sink_usable_size;
    numafy_led_back_v2 = 0;
}

/* Whether a sink was called since the last question. */
NUMAFY_FN_ bool numafy_led_back(void)
{
    const bool back = numafy_led_back_v2;
    numafy_led_back_v2 = 0;
    return back;
}

/* What stands behind the object that runs this. A library that has the header too has its own
 * malloc, which would lead back to us: its numafy_chain_v2 knows what is behind it. That is found
 * out by a call: a dlsym that fails would leave a block that the program's next dlsym frees. */
NUMAFY_INNER_ void numafy_next_behind(struct numafy_next *n)
{
    void *const handle = (void *)(intptr_t)NUMAFY_RTLD_NEXT;
    numafy_next_fill(n, handle);
    numafy_sinks_begin(n);
    void *p = n->malloc_(1);
    if (numafy_led_back()) {
        const numafy_function chain = numafy_os_dlsym_(handle, "numafy_chain_v2");
        if (!chain) {
            numafy_os_say("numafy: a library defines numafy's malloc and hides numafy_*: link it "
                          "without -Wl,--version-script that does so\n");
            __builtin_trap();
        }
        ((void (*)(struct numafy_next *))chain)(n);
    } else {
        n->free_(p);
    }
    numafy_state_v2.next = *n;
}

void numafy_chain_v2(struct numafy_next *n);
NUMAFY_COLD_ void numafy_chain_v2(struct numafy_next *n)
{
    numafy_next_behind(n);
}

/* The functions that the program calls, for when the pools are off: what a program frees by its own
 * free must come from its own malloc. Where the global function is ours, as when a program has a
 * free of its own but no malloc, the one behind it stays. */
NUMAFY_INNER_ void numafy_next_global(void)
{
    struct numafy_next *const next = &numafy_state_v2.next;
    struct numafy_next global, behind = *next;
    numafy_next_fill(&global, (void *)(intptr_t)NUMAFY_RTLD_DEFAULT);
    void *const block = global.malloc_(64);
    void *p;
    numafy_sinks_begin(&behind);
    if ((p = global.malloc_(1), numafy_led_back()))
        global.malloc_ = behind.malloc_;
    else
        global.free_(p);
    if ((p = global.calloc_(1, 1), numafy_led_back()))
        global.calloc_ = behind.calloc_;
    else
        global.free_(p);
    if ((p = global.memalign_(64, 1), numafy_led_back()))
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
extern NUMAFY_EXPORT_ __attribute__((weak)) int numafy_replaces_v2;

/* Without replacement the global functions are not ours. */
NUMAFY_FN_ int numafy_first_place(void)
{
    return &numafy_replaces_v2 ? NUMAFY_RTLD_NEXT : NUMAFY_RTLD_DEFAULT;
}

NUMAFY_INNER_ void numafy_next_find(void)
{
    struct numafy_next n;
    if (numafy_first_place() == NUMAFY_RTLD_NEXT)
        numafy_next_behind(&n);
    else
        numafy_next_fill(&n, (void *)(intptr_t)NUMAFY_RTLD_DEFAULT);
    numafy_state_v2.next = n;
}

NUMAFY_COLD_ void *numafy_first_malloc_(size_t size)
{
    numafy_next_find();
    return numafy_state_v2.next.malloc_(size);
}
NUMAFY_COLD_ void *numafy_first_calloc_(size_t count, size_t size)
{
    numafy_next_find();
    return numafy_state_v2.next.calloc_(count, size);
}
NUMAFY_COLD_ void *numafy_first_realloc_(void *p, size_t size)
{
    numafy_next_find();
    return numafy_state_v2.next.realloc_(p, size);
}
NUMAFY_COLD_ void numafy_first_free_(void *p)
{
    numafy_next_find();
    numafy_state_v2.next.free_(p);
}
NUMAFY_COLD_ void *numafy_first_memalign_(size_t alignment, size_t size)
{
    numafy_next_find();
    return numafy_state_v2.next.memalign_(alignment, size);
}
NUMAFY_COLD_ size_t numafy_first_usable_size_(void *p)
{
    numafy_next_find();
    return numafy_state_v2.next.usable_size_(p);
}

/* Frees a fresh block by the program's global malloc and free, with next pointing at a function
 * that notes the call: does it come through ours? Comparing addresses would not do: a non-PIE
 * program has its own idea of &free. Runs once, under the lock. */
NUMAFY_WEAK_ int numafy_probe_seen_v2;
NUMAFY_WEAK_ void *numafy_probe_block_v2;
NUMAFY_WEAK_ void (*numafy_probe_free_next_v2)(void *);

NUMAFY_INNER_ void numafy_probe_free(void *p)
{
    if (p == __atomic_load_n(&numafy_probe_block_v2, __ATOMIC_RELAXED))
        __atomic_store_n(&numafy_probe_seen_v2, 1, __ATOMIC_RELAXED);
    numafy_probe_free_next_v2(p);
}

NUMAFY_INNER_ bool numafy_probe(void)
{
    void *const handle = (void *)(intptr_t)NUMAFY_RTLD_DEFAULT;
    void *(*global_malloc)(size_t) = (void *(*)(size_t))numafy_os_dlsym_(handle, "malloc");
    void (*global_free)(void *) = (void (*)(void *))numafy_os_dlsym_(handle, "free");
    void *p = global_malloc(32); /* through ours it has found next, if that was still open */
    if (!p)
        return false;
    if (numafy_state_v2.next.free_ == numafy_first_free_)
        numafy_next_find();
    numafy_probe_free_next_v2 = numafy_state_v2.next.free_;
    __atomic_store_n(&numafy_probe_block_v2, p, __ATOMIC_RELAXED);
    numafy_state_v2.next.free_ = numafy_probe_free;
    global_free(p);
    numafy_state_v2.next.free_ = numafy_probe_free_next_v2;
    return numafy_probe_seen_v2;
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_NEXT_H */
