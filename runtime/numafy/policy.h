/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h: where a pool's pages go: the kernel's node for a pool, the range's policy, and what
 * NUMAFY_MODE makes of a node that is absent, forbidden or full. It must not know threads, caches
 * or blocks. */
#ifndef NUMAFY_POLICY_H
#define NUMAFY_POLICY_H

#include "env.h"
#include "hooks.h"

#ifndef NUMAFY_EXTERN

/* The baseline is libnuma's own way. */
NUMAFY_INNER_ void numafy_policy_onnode(void)
{
    if (numafy_pools_v3.mode != NUMAFY_PREFER && numafy_warn_now(NUMAFY_WARN_MODE))
        numafy_os_say("numafy: NUMAFY_CACHE=onnode knows NUMAFY_MODE=prefer only\n");
    numafy_pools_v3.mode = NUMAFY_PREFER;
}

/* --- why bind gives nothing */
/* The kernel's node that pool `node` is meant for. */
NUMAFY_FN_ int numafy_wanted(int node)
{
    return node >= 0 && numafy_pools_v3.map[node] ? numafy_pools_v3.map[node] - 1 : node;
}

/* A set as the kernel writes it, "0,8,252-255"; cut where room ends. */
NUMAFY_INNER_ void numafy_set_text(const uint64_t *set, char *out, size_t room)
{
    size_t n = 0;
    *out = 0;
    for (int i = 0; i < NUMAFY_NODES && n + 12 < room; i++) {
        int last = i;
        if (!numafy_set_has(set, i))
            continue;
        while (numafy_set_has(set, last + 1))
            last++;
        n += (size_t)snprintf(out + n, room - n, last > i ? "%s%d-%d" : "%s%d", n ? "," : "", i,
                              last);
        i = last;
    }
}

/* A reason from NUMAFY_NO_POOL on, as a sentence about `node`. */
NUMAFY_INNER_ void numafy_refusal_text(int reason, int node, char *out, size_t room)
{
    const struct numafy_topology *t = &numafy_pools_v3.topology;
    const int wanted = numafy_wanted(node);
    char nodes[64];
    switch (reason) {
    case NUMAFY_NO_POOL:
        if (numafy_pools_v3.disabled)
            snprintf(out, room, "the pools are off: %s", numafy_pools_v3.disabled);
        else
            snprintf(out, room, "no pool could be made for node %d; at most %u exist", node,
                     numafy_pools_v3.slot_limit);
        break;
    case NUMAFY_POOL_USED_UP:
        snprintf(out, room, "the pool of node %d cannot grow: no address space is left", node);
        break;
    case NUMAFY_NODE_FULL:
        snprintf(out, room, "node %d is full: the kernel would take memory of another node",
                 wanted);
        break;
    case NUMAFY_NODE_ABSENT:
        numafy_set_text(t->online, nodes, sizeof nodes);
        snprintf(out, room, "node %d does not exist, this machine has %s", wanted, nodes);
        break;
    case NUMAFY_NODE_MEMORYLESS:
        snprintf(out, room, "node %d has no memory", wanted);
        break;
    case NUMAFY_NODE_NOT_ALLOWED:
        numafy_set_text(t->allowed, nodes, sizeof nodes);
        snprintf(
            out, room, "node %d exists but may not be used here (%s%s)", wanted,
            t->task_bound ? "numactl --membind and cpuset.mems leave " : "cpuset.mems=", nodes);
        break;
    case NUMAFY_MBIND_FORBIDDEN:
        snprintf(out, room,
                 "mbind is forbidden here (EPERM, a seccomp filter?): node %d cannot "
                 "be promised",
                 wanted);
        break;
    case NUMAFY_MBIND_MISSING:
        snprintf(out, room, "this kernel has no mbind (ENOSYS): node %d cannot be promised",
                 wanted);
        break;
    case NUMAFY_MBIND_REFUSED:
        snprintf(out, room, "the kernel refuses to bind memory to node %d", wanted);
        break;
    case NUMAFY_NODE_UNKNOWN:
        snprintf(out, room, "move_pages is forbidden here: nobody can tell what is on node %d",
                 wanted);
        break;
    default:
        snprintf(out, room, "no memory of node %d is to be had", node);
    }
}

/* --- the kernel's node for a pool */
/* What the process was started with: numactl --membind and taskset hold for our choices too. Asked
 * before main, for both belong to a thread. */
NUMAFY_INNER_ void numafy_policy_start(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    if (!numafy_os_task_bind(g->task_nodes))
        __builtin_memset(g->task_nodes, 0, sizeof g->task_nodes);
    if (numafy_os_getaffinity_(0, sizeof g->task_cpus, g->task_cpus) < 0)
        __builtin_memset(g->task_cpus, 0, sizeof g->task_cpus);
}

NUMAFY_INNER_ void numafy_topology_read(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    struct numafy_topology *t = &g->topology;
    uint64_t meet[NUMAFY_WORDS];
    numafy_sysfs_read(g->sysfs, t);
    if (numafy_set_first(g->task_nodes) < 0 || numafy_set_meet(meet, t->allowed, g->task_nodes) < 0)
        return;
    t->task_bound = __builtin_memcmp(meet, t->allowed, sizeof meet) != 0;
    __builtin_memcpy(t->allowed, meet, sizeof meet);
}

/* Why a pool cannot lie on `wanted`, as far as the machine's description goes. */
NUMAFY_INNER_ int numafy_node_refused(int wanted)
{
    const struct numafy_topology *t = &numafy_pools_v3.topology;
    return numafy_set_has(t->allowed, wanted)  ? NUMAFY_FINE
           : numafy_set_has(t->memory, wanted) ? NUMAFY_NODE_NOT_ALLOWED
           : numafy_set_has(t->online, wanted) ? NUMAFY_NODE_MEMORYLESS
                                               : NUMAFY_NODE_ABSENT;
}

/* The kernel's node for pool `node`: NUMAFY_NODEMAP, then the nearest that is allowed. Threads that
 * race find the same. */
NUMAFY_INNER_ int numafy_map(int node)
{
    struct numafy_pools *g = &numafy_pools_v3;
    const int known = __atomic_load_n(&g->mapped[node], __ATOMIC_RELAXED);
    if (known)
        return known - 1;
    const int wanted = numafy_wanted(node);
    const int got = numafy_sysfs_nearest(g->sysfs, wanted, g->topology.allowed);
    if (got != wanted && g->mode == NUMAFY_PREFER && numafy_warn_now(NUMAFY_WARN_REDIRECT)) {
        char why[200], text[300];
        numafy_refusal_text(numafy_node_refused(wanted), node, why, sizeof why);
        snprintf(text, sizeof text, "numafy: %s: what goes there goes to node %d\n", why, got);
        numafy_os_say(text);
    }
    __atomic_store_n(&g->mapped[node], (int16_t)(got + 1), __ATOMIC_RELAXED);
    return got;
}

/* What the kernel says to a CPU that was offline when the machine was read; the lowest node that
 * may be used if it says nothing that we know. */
NUMAFY_INNER_ int numafy_unknown_cpu_node(void)
{
    const struct numafy_topology *t = &numafy_pools_v3.topology;
    const int lowest = numafy_set_first(t->allowed);
    unsigned cpu, node;
    if (numafy_os_syscall_(SYS_getcpu, &cpu, &node, (void *)NULL) == 0 &&
        numafy_set_has(t->online, (int)node))
        return (int)node;
    return lowest < 0 ? 0 : lowest;
}

/* The node of the CPU that runs us. bind takes the nearest node that may be used: a node without
 * memory is nobody's wish here. */
NUMAFY_INNER_ int numafy_local_node(void)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    const struct numafy_topology *t = &g->topology;
    const int cpu = numafy_os_cpu();
    int node = cpu >= 0 && cpu < NUMAFY_CPUS ? t->node_of_cpu[cpu] : -1;
    if (node < 0)
        node = numafy_unknown_cpu_node();
    return g->mode == NUMAFY_PREFER || numafy_set_has(t->allowed, node) ? node : numafy_map(node);
}

/* The CPUs for a thread of node `wanted`, or of the nearest node that has some: those on which the
 * program was started to run. 0, or a negative errno after one warning if there are none. */
NUMAFY_INNER_ int numafy_node_cpus(int wanted, uint64_t *cpus)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    const int near = numafy_sysfs_nearest(g->sysfs, wanted, g->topology.cpus);
    uint64_t some = 0, started = 0;
    const int e = near < 0 ? -ENODEV : numafy_sysfs_cpus(g->sysfs, near, cpus);
    if (e < 0)
        return e;
    for (int w = 0; w < NUMAFY_CPUS / 64; w++)
        started |= g->task_cpus[w];
    for (int w = 0; started && w < NUMAFY_CPUS / 64; w++)
        some |= cpus[w] &= g->task_cpus[w];
    if (some || !started)
        return 0;
    if (numafy_warn_now(NUMAFY_WARN_PIN)) {
        char text[160];
        snprintf(text, sizeof text,
                 "numafy: no CPU of node %d may be used here (taskset, cpuset): threads are not "
                 "pinned to it\n",
                 near);
        numafy_os_say(text);
    }
    return -EINVAL;
}

/* --- the policy of a range */
/* Whether a refused mbind changes where pages lie: where there is one node it does not. */
NUMAFY_INNER_ bool numafy_refusal_matters(int e)
{
    const struct numafy_topology *t = &numafy_pools_v3.topology;
    return numafy_set_count(t->memory) > 1 || !(e == -ENOSYS || (e == -EPERM && !t->unreadable));
}

/* Says once that mbind does not work here, and what follows. */
NUMAFY_INNER_ void numafy_warn_refused(int e)
{
    char text[256];
    if (!numafy_refusal_matters(e) || !numafy_warn_now(NUMAFY_WARN_MBIND))
        return;
    snprintf(text, sizeof text, "numafy: %s: pages lie where they are first touched\n",
             e == -EPERM    ? "mbind is forbidden here (EPERM, a seccomp filter?)"
             : e == -ENOSYS ? "this kernel has no mbind (ENOSYS)"
             : e == -EINVAL ? "the kernel refuses the node (EINVAL)"
                            : "mbind failed");
    numafy_os_say(text);
}

/* Interleaves by the weights of /sys/kernel/mm/mempolicy/weighted_interleave where the kernel has
 * them. A huge page would put 512 neighbours on one node. */
NUMAFY_INNER_ int numafy_range_interleave(struct numafy_slot *slot, size_t size)
{
    const uint64_t *set = numafy_pools_v3.topology.allowed;
    slot->policy = NUMAFY_MPOL_WEIGHTED_INTERLEAVE;
    int e = numafy_os_bind(slot->start, size, slot->policy, set);
    if (e == -EINVAL) {
        slot->policy = NUMAFY_MPOL_INTERLEAVE;
        e = numafy_os_bind(slot->start, size, slot->policy, set);
    }
    numafy_os_madvise_((void *)slot->start, size, NUMAFY_MADV_NOHUGEPAGE);
    return e;
}

/* mbind of a part of the range to the slot's node. */
NUMAFY_INNER_ int numafy_range_policy(const struct numafy_slot *slot, uintptr_t start, size_t size,
                                      int policy)
{
    uint64_t set[NUMAFY_WORDS] = {0};
    set[slot->mapped / 64] = (uint64_t)1 << (slot->mapped % 64);
    return numafy_os_bind(start, size, policy, set);
}

/* Takes back the memory of a part that is in nobody's use. Pages of hugetlb stay: they are on the
 * node, or would not be there. */
NUMAFY_INNER_ int numafy_range_give_back(const struct numafy_slot *slot, uintptr_t start,
                                         size_t size)
{
    const uint32_t *frames = numafy_huge_of(slot)->frames;
    const size_t step = frames ? numafy_huge_v3.page : size;
    const uintptr_t end = start + size;
    int e = 0;
    for (uintptr_t next; start < end; start = next) {
        const size_t frame = frames ? (start - slot->start) / step : 0;
        next = frames ? slot->start + (frame + 1) * step : end;
        next = next < end ? next : end;
        if (frames && (frames[frame] & NUMAFY_FRAME_STATE) == NUMAFY_FRAME_HUGE)
            continue;
        if (numafy_os_madvise_((void *)start, next - start, NUMAFY_MADV_DONTNEED))
            e = -errno;
    }
    return e;
}

/* Mode bind: nothing of the range is touched before numafy_range_commit has seen to it. The first
 * page is, once, before the policy is set: a mapping gets its list of pages then, and two parts
 * that got theirs apart could never become one mapping again (commit splits parts off). A range
 * with pages of hugetlb keeps its policy: those are bound where they are made. */
NUMAFY_INNER_ int numafy_range_bind(struct numafy_slot *slot, size_t size)
{
    int e = numafy_range_policy(slot, slot->start, size, NUMAFY_MPOL_PREFERRED);
    if (!e && !numafy_huge_of(slot)->frames) {
        if (!numafy_range_open(slot, numafy_os_page(), size))
            e = -ENOMEM;
        if (!e)
            e = numafy_os_populate(slot->start, numafy_os_page());
        if (!e) /* all that is open: the page may have been a huge one */
            e = numafy_range_give_back(slot, slot->start, slot->opened);
        if (!e)
            e = numafy_range_policy(slot, slot->start, size, NUMAFY_MPOL_BIND);
    }
    slot->policy = numafy_huge_of(slot)->frames ? NUMAFY_MPOL_PREFERRED : NUMAFY_MPOL_BIND;
    slot->strict = !e;
    return e;
}

/* Before a fork: whoever writes to a shared page afterwards needs a new one, and on a full node
 * BIND would send the OOM killer for it. From here on the ranges are PREFERRED, for good: the
 * parent cannot know when its child is gone. New memory is looked at as before. The locks are not
 * held over the fork, for jemalloc's handlers wait for threads that may want them. */
NUMAFY_INNER_ void numafy_policy_fork(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    for (unsigned i = 1; i <= g->slots; i++) {
        struct numafy_slot *s = &g->slot[i];
        if (!s->strict)
            continue;
        numafy_lock(&s->growth);
        if (s->policy == NUMAFY_MPOL_BIND) {
            s->policy = NUMAFY_MPOL_PREFERRED;
            numafy_range_policy(s, s->start, (size_t)1 << numafy_state_v3.shift, s->policy);
        }
        numafy_unlock(&s->growth);
    }
}

NUMAFY_INNER_ void numafy_policy_fork_child(void)
{
    for (unsigned i = 0; i <= NUMAFY_SLOTS; i++)
        numafy_pools_v3.slot[i].growth.word = 0;
}

/* Asks the kernel to put the slot's pages on its node. If it refuses, mode prefer takes them where
 * they are first touched, which is told once; the other modes give no memory. False: there was no
 * memory to do so, it may be tried again. */
NUMAFY_INNER_ bool numafy_slot_bind(struct numafy_slot *slot, size_t size)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    const struct numafy_topology *t = &g->topology;
    int e = 0;
    slot->refused = slot->policy = slot->strict = 0;
    if (slot->node == NUMAFY_INTERLEAVE) {
        e = numafy_range_interleave(slot, size);
    } else if (g->mode == NUMAFY_PREFER) {
        slot->policy = NUMAFY_MPOL_PREFERRED;
        e = numafy_range_policy(slot, slot->start, size, slot->policy);
    } else {
        slot->refused = numafy_node_refused(numafy_wanted(slot->node));
        if (!slot->refused)
            e = numafy_range_bind(slot, size);
    }
    if (e == -ENOMEM || e == -EAGAIN)
        return false;
    slot->bind_error = -e;
    if (!e && !slot->refused && t->unreadable && numafy_warn_now(NUMAFY_WARN_SYSFS))
        numafy_os_say("numafy: the machine's nodes cannot be read: one node is assumed\n");
    if (!e && !slot->refused)
        return true;
    slot->policy = NUMAFY_MPOL_DEFAULT;
    if (e && !numafy_refusal_matters(e))
        return true;
    slot->mapped = NUMAFY_NO_NODE;
    if (g->mode == NUMAFY_PREFER)
        numafy_warn_refused(e);
    else if (!slot->refused)
        slot->refused = e == -EPERM    ? NUMAFY_MBIND_FORBIDDEN
                        : e == -ENOSYS ? NUMAFY_MBIND_MISSING
                                       : NUMAFY_MBIND_REFUSED;
    return true;
}

/* --- mode bind: memory on the node, or none */
/* Pages come as PREFERRED, which spills where BIND would wake the OOM killer, are looked at, and
 * are then held by BIND. In steps, so that a large wish does not fill other nodes before it is
 * refused. 0, or a reason. */
NUMAFY_INNER_ int numafy_range_populate(const struct numafy_slot *slot, uintptr_t start,
                                        size_t size)
{
    const size_t step = 2 << 20;
    for (size_t at = 0; at < size; at += step) {
        const size_t n = size - at < step ? size - at : step;
        int e = numafy_os_populate(start + at, n);
        if (!e)
            e = numafy_os_all_on(start + at, n, slot->mapped);
        if (e)
            return e == -EPERM || e == -ENOSYS || e == -EACCES ? NUMAFY_NODE_UNKNOWN
                                                               : NUMAFY_NODE_FULL;
    }
    return NUMAFY_FINE;
}

/* Gives [start, start + size) memory of the slot's node, all of it or nothing. The lock keeps the
 * range's opening away: a part that is opened beside one that is PREFERRED for the moment would not
 * join the range, and none of its parts ever again. */
NUMAFY_INNER_ bool numafy_range_commit(struct numafy_slot *slot, uintptr_t start, size_t size)
{
    int reason = NUMAFY_FINE;
    const int before = errno; /* an old kernel says EINVAL on the way */
    numafy_lock(&slot->growth);
    const bool bound = slot->policy == NUMAFY_MPOL_BIND;
    if (bound && numafy_range_policy(slot, start, size, NUMAFY_MPOL_PREFERRED))
        reason = NUMAFY_NODE_FAILED;
    else
        reason = numafy_range_populate(slot, start, size);
    if (bound && numafy_range_policy(slot, start, size, NUMAFY_MPOL_BIND) && !reason)
        reason = NUMAFY_NODE_FAILED;
    if (reason)
        numafy_range_give_back(slot, start, size);
    __atomic_store_n(&slot->cause, reason, __ATOMIC_RELAXED);
    numafy_unlock(&slot->growth);
    errno = before;
    return !reason;
}

NUMAFY_INNER_ bool numafy_hook_commit(struct numafy_hooks *hooks, void *p, size_t size,
                                      size_t offset, size_t length, unsigned arena)
{
    struct numafy_slot *slot = (struct numafy_slot *)hooks;
    const bool hugetlb = numafy_huge_of(slot)->frames != NULL;
    if (hugetlb && numafy_huge_commit(hooks, p, size, offset, length, arena))
        return true;
    if (numafy_range_commit(slot, (uintptr_t)p + offset, length))
        return false;
    if (hugetlb)
        numafy_huge_decommit(hooks, p, size, offset, length, arena);
    return true;
}

/* Address space is given without memory: jemalloc then asks for the memory of the part that it
 * needs. Not after a failure: each try would leave it more address space that it cannot use; it
 * then asks for less, with memory. */
NUMAFY_INNER_ void *numafy_hook_alloc_bound(struct numafy_slot *slot, size_t limit, const void *at,
                                            size_t size, size_t alignment, bool *commit)
{
    if (!*commit && __atomic_load_n(&slot->cause, __ATOMIC_RELAXED))
        return NULL;
    numafy_lock(&slot->growth);
    void *p = numafy_range_take(slot, limit, at, size, alignment);
    numafy_unlock(&slot->growth);
    if (!p && !at)
        __atomic_store_n(&slot->cause, NUMAFY_POOL_USED_UP, __ATOMIC_RELAXED);
    if (!p || !*commit || !numafy_hook_commit(&slot->hooks, p, size, 0, size, 0))
        return p;
    numafy_range_untake(slot, (uintptr_t)p - slot->start, size);
    return NULL;
}

/* --- what an arena of a slot calls */
NUMAFY_INNER_ void *numafy_hook_alloc(struct numafy_hooks *hooks, void *at, size_t size,
                                      size_t alignment, bool *zero, bool *commit, unsigned arena)
{
    struct numafy_slot *slot = (struct numafy_slot *)hooks;
    const size_t limit = (size_t)1 << numafy_state_v3.shift;
    void *p = NULL;
    (void)arena;
    if (slot->strict)
        p = numafy_hook_alloc_bound(slot, limit, at, size, alignment, commit);
    else if (!slot->refused)
        p = numafy_range_take(slot, limit, at, size, alignment);
    if (p && !slot->strict && !numafy_huge_take(slot, p, size, commit)) {
        numafy_range_untake(slot, (uintptr_t)p - slot->start, size);
        p = NULL;
    }
    if (p)
        *zero = true;
    return p;
}

/* dalloc, destroy and lazy purge opt out (NULL): jemalloc keeps what it has got and reuses it. In
 * mode bind, memory that is given back must pass commit to be used again. */
NUMAFY_INNER_ void numafy_hooks_set(struct numafy_slot *slot)
{
    struct numafy_hooks *hooks = &slot->hooks;
    hooks->alloc = numafy_hook_alloc;
    hooks->split = numafy_hook_split;
    hooks->merge = numafy_hook_merge;
    if (numafy_huge_of(slot)->frames)
        numafy_huge_hooks(slot);
    else if (slot->strict)
        hooks->decommit = numafy_hook_purge;
    else
        hooks->purge_forced = numafy_hook_purge;
    if (slot->strict)
        hooks->commit = numafy_hook_commit;
}

/* --- what a failed allocation becomes */
/* A reason: NULL it is, the plain heap must not serve. Does not return in mode abort. slot NULL:
 * there is no pool. */
NUMAFY_INNER_ int numafy_refusal(const struct numafy_slot *slot, int node)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    if (g->mode == NUMAFY_PREFER || g->sanitize_pass)
        return NUMAFY_FINE;
    const int cause = slot ? __atomic_load_n(&slot->cause, __ATOMIC_RELAXED) : 0;
    const int reason = !slot           ? NUMAFY_NO_POOL
                       : slot->refused ? slot->refused
                       : cause         ? cause
                                       : NUMAFY_NODE_FAILED;
    if (g->mode == NUMAFY_ABORT) {
        char why[400], text[450];
        numafy_refusal_text(reason, node, why, sizeof why);
        snprintf(text, sizeof text, "numafy: NUMAFY_MODE=abort: %s\n", why);
        numafy_os_say(text);
        numafy_os_abort_();
    }
    return reason;
}

/* --- what the statistics say of it */
NUMAFY_FN_ const char *numafy_mode_name(int mode)
{
    return mode == NUMAFY_PREFER ? "prefer" : mode == NUMAFY_BIND ? "bind" : "abort";
}

NUMAFY_FN_ const char *numafy_policy_name(int policy)
{
    return policy == NUMAFY_MPOL_PREFERRED             ? "preferred"
           : policy == NUMAFY_MPOL_BIND                ? "bind"
           : policy == NUMAFY_MPOL_INTERLEAVE          ? "interleave"
           : policy == NUMAFY_MPOL_WEIGHTED_INTERLEAVE ? "weighted"
                                                       : "none";
}

/* Bytes that have memory, by the kernel's word. */
struct numafy_residence {
    size_t resident;
    size_t spilled;    /* not on the pool's node: that was full when they were touched */
    size_t redirected; /* on another node than was meant, which the machine does not give */
    size_t unbound;    /* where they were first touched, since mbind does not work */
};

NUMAFY_INNER_ void numafy_residence_add(struct numafy_residence *r, const struct numafy_slot *s,
                                        const struct numafy_mapping *m)
{
    for (int node = 0; node < NUMAFY_NODES; node++) {
        const size_t bytes = m->pages[node] * m->page;
        r->resident += bytes;
        if (s->node < 0)
            continue;
        if (s->mapped < 0)
            r->unbound += bytes;
        else if (s->mapped != node)
            r->spilled += bytes;
        else if (s->mapped != numafy_wanted(s->node))
            r->redirected += bytes;
    }
}

/* Fills out[1..slots] and the sum from one pass over numa_maps, which needs no privilege and counts
 * every page: the allocation path counts no spill, and a sample would miss some. Costs a walk over
 * the page tables of the process. False: the kernel does not tell. */
NUMAFY_INNER_ bool numafy_residence_read(struct numafy_residence *out, struct numafy_residence *sum)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    struct numafy_words w;
    struct numafy_mapping m;
    __builtin_memset(out, 0, (NUMAFY_SLOTS + 1) * sizeof *out);
    __builtin_memset(sum, 0, sizeof *sum);
    if (numafy_words_open(&w))
        return false;
    while (numafy_mapping_next(&w, &m)) {
        const size_t d = m.start - numafy_state_v3.base;
        const size_t i = d < numafy_state_v3.span ? (d >> numafy_state_v3.shift) + 1 : 0;
        if (!i || i > g->slots)
            continue;
        numafy_residence_add(&out[i], &g->slot[i], &m);
        numafy_residence_add(sum, &g->slot[i], &m);
    }
    numafy_os_close_(w.fd);
    return !w.failed;
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_POLICY_H */
