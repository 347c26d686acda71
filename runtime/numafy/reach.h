/* SPDX-License-Identifier: Apache-2.0 */
/* reach.h: NUMAFY_CHECK=reach. Which live blocks can be reached from what is on a node, word by
 * word: every word of a block or root that is an address in a live block reaches it, as in a
 * conservative garbage collector. It begins at the blocks of the node's pool and at its registered
 * roots, and tells how many of what it reaches is on the node, on another one, on the plain heap.
 *
 * It looks when the program ends, before a root goes, and before a free once there are a sixteenth
 * more blocks than when it last looked, or than were left when half of those were gone: what a
 * program tears down at its end has been seen by then, all but so much. For each node the look that
 * reached most counts. Other threads may run meanwhile: memory is read through the kernel, so
 * nothing that is gone or guarded is touched. It allocates nothing but by mmap. */
#ifndef NUMAFY_REACH_H
#define NUMAFY_REACH_H

#include "site_slow.h"

enum {
    NUMAFY_REACH_NODES = NUMAFY_SLOTS,
    NUMAFY_REACH_CHUNK = 64 << 10, /* read at a time */
    NUMAFY_REACH_TOLD = 10,        /* callers in the text */
    NUMAFY_REACH_ROOTS = 256,      /* roots that are looked at because they go */
    NUMAFY_REACH_WAITS = 3000      /* of 10 ms, for another thread's look at the end */
};

/* Blocks of one caller on one node that a look has reached. */
struct numafy_reach_site {
    uintptr_t caller;
    size_t blocks, bytes;
    int node;
};

/* The best look from one node. */
struct numafy_reach_result {
    int node;
    size_t reached, on_node, elsewhere, plain;
    size_t reached_bytes, on_node_bytes;
    struct numafy_reach_site *site;
    size_t sites, site_room;
};

struct numafy_reach {
    struct numafy_reach_result result[NUMAFY_REACH_NODES];
    unsigned results;
};

#ifndef NUMAFY_EXTERN

NUMAFY_WEAK_ struct numafy_reach numafy_reach_v3;

/* One look: the blocks that were live when it began, by address. */
struct numafy_reach_look {
    struct numafy_live_block *block, *other; /* other: for the sort */
    size_t count, room;
    uint32_t *todo; /* reached, and not yet read */
    size_t waiting;
    unsigned char *seen;
    uint64_t *chunk;
};

/* --- the picture */
/* By address, least byte first. */
NUMAFY_INNER_ void numafy_reach_sort(struct numafy_reach_look *k)
{
    for (unsigned shift = 0; shift < 48; shift += 8) {
        size_t at[257] = {0};
        for (size_t i = 0; i < k->count; i++)
            at[(k->block[i].start >> shift & 255) + 1]++;
        for (unsigned i = 1; i < 256; i++)
            at[i] += at[i - 1];
        for (size_t i = 0; i < k->count; i++)
            k->other[at[k->block[i].start >> shift & 255]++] = k->block[i];
        struct numafy_live_block *sorted = k->other;
        k->other = k->block;
        k->block = sorted;
    }
}

/* Copies what is live now. false: there is no memory for it, or nothing to see. */
NUMAFY_INNER_ bool numafy_reach_begin(struct numafy_reach_look *k)
{
    struct numafy_live *l = &numafy_live_v3;
    __builtin_memset(k, 0, sizeof *k);
    const size_t room = __atomic_load_n(&l->count, __ATOMIC_RELAXED) + 1024;
    k->room = room < UINT32_MAX ? room : UINT32_MAX;
    char *memory = (char *)numafy_os_map(NUMAFY_REACH_CHUNK +
                                         k->room * (2 * sizeof *k->block + sizeof *k->todo + 1));
    if (!memory)
        return false;
    k->chunk = (uint64_t *)(void *)memory;
    k->block = (struct numafy_live_block *)(void *)(memory + NUMAFY_REACH_CHUNK);
    k->other = k->block + k->room;
    k->todo = (uint32_t *)(void *)(k->other + k->room);
    k->seen = (unsigned char *)(k->todo + k->room);
    numafy_lock(&l->lock);
    for (size_t i = 0; i < l->room && k->count < k->room; i++)
        if (l->block[i].start > 1)
            k->block[k->count++] = l->block[i];
    numafy_unlock(&l->lock);
    l->scanned = k->count;
    numafy_reach_sort(k);
    return true;
}

NUMAFY_INNER_ void numafy_reach_end(struct numafy_reach_look *k)
{
    numafy_os_munmap_(k->chunk,
                      NUMAFY_REACH_CHUNK + k->room * (2 * sizeof *k->block + sizeof *k->todo + 1));
}

/* The block around an address, k->count if there is none. */
NUMAFY_FN_ size_t numafy_reach_find(const struct numafy_reach_look *k, uintptr_t p)
{
    size_t low = 0, high = k->count;
    if (!high || p < k->block[0].start)
        return k->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (k->block[middle].start <= p)
            low = middle;
        else
            high = middle;
    }
    const size_t size = k->block[low].size;
    return p - k->block[low].start < (size ? size : 1) ? low : k->count;
}

NUMAFY_FN_ void numafy_reach_mark(struct numafy_reach_look *k, size_t block)
{
    if (block == k->count || k->seen[block])
        return;
    k->seen[block] = 1;
    k->todo[k->waiting++] = (uint32_t)block;
}

/* --- reading */
/* Copies memory of ours, as far as it can be read: the bytes, 0 if there is none at `from`. */
NUMAFY_INNER_ size_t numafy_reach_read(void *to, uintptr_t from, size_t size)
{
    const struct {
        uintptr_t at;
        size_t size;
    } mine = {(uintptr_t)to, size}, theirs = {from, size};
    long n = numafy_os_syscall_(SYS_process_vm_readv, numafy_os_syscall_(SYS_getpid), &mine, 1,
                                &theirs, 1, 0);
    if (n < 0 && errno != EFAULT) { /* a container may forbid it */
        const long fd = numafy_os_syscall_(SYS_openat, -100, "/proc/self/mem", 02000000);
        if (fd >= 0) {
            n = numafy_os_syscall_(SYS_pread64, fd, to, size, from);
            numafy_os_syscall_(SYS_close, fd);
        }
    }
    return n > 0 ? (size_t)n : 0;
}

/* Marks what the words of a range point into. */
NUMAFY_INNER_ void numafy_reach_range(struct numafy_reach_look *k, uintptr_t start, size_t size)
{
    const uintptr_t end = (start + size) & ~(uintptr_t)7;
    uintptr_t p = (start + 7) & ~(uintptr_t)7;
    while (p < end) {
        const size_t want = end - p < NUMAFY_REACH_CHUNK ? end - p : (size_t)NUMAFY_REACH_CHUNK;
        const size_t got = numafy_reach_read(k->chunk, p, want) & ~(size_t)7;
        for (size_t i = 0; i < got / 8; i++)
            numafy_reach_mark(k, numafy_reach_find(k, (uintptr_t)k->chunk[i]));
        /* What cannot be read is left out page by page. */
        p = got ? p + got : (p / NUMAFY_PAGE + 1) * NUMAFY_PAGE;
    }
}

/* --- one node */
NUMAFY_INNER_ void numafy_reach_roots(struct numafy_reach_look *k, int node)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    for (int i = 0; i < NUMAFY_ROOTS; i++) {
        const struct numafy_root r = g->roots[i];
        if (r.size && r.node == node)
            numafy_reach_range(k, r.start + (r.by_thread ? numafy_os_self_() : 0), r.size);
    }
}

/* Adds a block to what its caller has there. */
NUMAFY_INNER_ void numafy_reach_count_site(struct numafy_reach_result *r,
                                           const struct numafy_live_block *b)
{
    const size_t mask = r->site_room - 1;
    size_t i = (size_t)((b->caller + (unsigned)b->node) * 0x9e3779b97f4a7c15u >> 30) & mask;
    for (size_t tries = 0; tries < r->site_room; tries++, i = (i + 1) & mask) {
        struct numafy_reach_site *s = &r->site[i];
        if (s->blocks && (s->caller != b->caller || s->node != b->node))
            continue;
        s->caller = b->caller;
        s->node = b->node;
        s->blocks++;
        s->bytes += b->size;
        return;
    }
}

NUMAFY_INNER_ void numafy_reach_count(struct numafy_reach_look *k, struct numafy_reach_result *r)
{
    r->reached = r->on_node = r->elsewhere = r->plain = r->reached_bytes = r->on_node_bytes = 0;
    for (size_t i = 0; i < k->count; i++) {
        const struct numafy_live_block *b = &k->block[i];
        if (!k->seen[i])
            continue;
        const bool here = b->node == r->node, plain = b->node == NUMAFY_NO_NODE;
        r->reached++;
        r->reached_bytes += b->size;
        r->on_node += here;
        r->on_node_bytes += here ? b->size : 0;
        r->plain += plain;
        r->elsewhere += !here && !plain;
        if (r->site)
            numafy_reach_count_site(r, b);
    }
}

/* The best result so far of the node; NULL: there is no room for another node. */
NUMAFY_INNER_ struct numafy_reach_result *numafy_reach_best(int node)
{
    struct numafy_reach *s = &numafy_reach_v3;
    unsigned i = 0;
    while (i < s->results && s->result[i].node != node)
        i++;
    if (i == NUMAFY_REACH_NODES)
        return NULL;
    if (i == s->results) {
        s->result[i].node = node;
        s->results++;
    }
    return &s->result[i];
}

NUMAFY_INNER_ void numafy_reach_node(struct numafy_reach_look *k, int node)
{
    struct numafy_reach_result now, *best = numafy_reach_best(node);
    __builtin_memset(k->seen, 0, k->count);
    k->waiting = 0;
    for (size_t i = 0; i < k->count; i++)
        if (k->block[i].node == node)
            numafy_reach_mark(k, i);
    numafy_reach_roots(k, node);
    while (k->waiting) {
        const struct numafy_live_block *b = &k->block[k->todo[--k->waiting]];
        numafy_reach_range(k, b->start, b->size);
    }
    __builtin_memset(&now, 0, sizeof now);
    now.node = node;
    numafy_reach_count(k, &now);
    if (!best || now.reached < best->reached)
        return;
    now.site_room = NUMAFY_LIVE_CALLERS;
    now.site = best->site
                   ? best->site
                   : (struct numafy_reach_site *)numafy_os_map(now.site_room * sizeof *now.site);
    if (now.site) {
        __builtin_memset(now.site, 0, now.site_room * sizeof *now.site);
        numafy_reach_count(k, &now);
    }
    *best = now;
}

/* Looks from every node that has a pool or a root. */
NUMAFY_INNER_ void numafy_reach_look_round(void)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    struct numafy_reach_look k;
    int nodes[(int)NUMAFY_SLOTS + (int)NUMAFY_ROOTS];
    unsigned n = 0;
    for (unsigned slot = 1; slot <= NUMAFY_SLOTS; slot++)
        if (g->slot[slot].start)
            nodes[n++] = g->slot[slot].node;
    for (unsigned i = 0; i < NUMAFY_ROOTS; i++) {
        unsigned j = 0;
        while (j < n && nodes[j] != g->roots[i].node)
            j++;
        if (g->roots[i].size && g->roots[i].node != NUMAFY_NO_NODE && j == n)
            nodes[n++] = g->roots[i].node;
    }
    if (!n) {
        numafy_live_v3.scanned = numafy_live_v3.count;
        return;
    }
    if (!numafy_reach_begin(&k))
        return;
    for (unsigned i = 0; i < n; i++)
        numafy_reach_node(&k, nodes[i]);
    numafy_reach_end(&k);
}

/* Only one thread looks. false: another does. */
NUMAFY_INNER_ bool numafy_reach_claim(void)
{
    int nobody = 0;
    const int self = (int)numafy_os_syscall_(SYS_gettid);
    return __atomic_compare_exchange_n(&numafy_live_v3.scanning, &nobody, self, 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

NUMAFY_INNER_ void numafy_reach_look_now(void)
{
    const int before = errno;
    if (!numafy_reach_claim())
        return; /* others go on */
    numafy_reach_look_round();
    __atomic_store_n(&numafy_live_v3.scanning, 0, __ATOMIC_RELEASE);
    errno = before;
}

NUMAFY_COLD_ void numafy_reach_before_free_(void)
{
    const struct numafy_live *l = &numafy_live_v3;
    const size_t scanned = __atomic_load_n(&l->scanned, __ATOMIC_RELAXED);
    if (__atomic_load_n(&l->count, __ATOMIC_RELAXED) > scanned + scanned / 16)
        numafy_reach_look_now();
}

/* What hangs on a root that goes may be little of what is live. */
NUMAFY_COLD_ void numafy_reach_before_root_(void)
{
    if (__atomic_fetch_add(&numafy_live_v3.roots_gone, 1, __ATOMIC_RELAXED) < NUMAFY_REACH_ROOTS)
        numafy_reach_look_now();
    else
        numafy_reach_before_free_();
}

/* At the end: nobody looks after this. false: the thread exits in the middle of a look of its own,
 * from a signal handler, or another one's does not end. */
NUMAFY_INNER_ bool numafy_reach_claim_last(void)
{
    const struct {
        long seconds, nanoseconds;
    } pause = {0, 10000000};
    for (int waited = 0; !numafy_reach_claim(); waited++) {
        const int who = __atomic_load_n(&numafy_live_v3.scanning, __ATOMIC_RELAXED);
        if (who == (int)numafy_os_syscall_(SYS_gettid) || waited == NUMAFY_REACH_WAITS)
            return false;
        numafy_os_syscall_(SYS_nanosleep, &pause, (void *)NULL);
    }
    return true;
}

/* --- telling */
/* Text into a buffer that may be too small, as snprintf counts. */
struct numafy_text {
    char *buf;
    size_t len, used;
};

#define NUMAFY_TEXT_(out, ...)                                                                \
    do {                                                                                      \
        struct numafy_text *const text_ = (out);                                              \
        const size_t left_ = text_->used < text_->len ? text_->len - text_->used : 0;         \
        const int n_ = snprintf(left_ ? text_->buf + text_->used : NULL, left_, __VA_ARGS__); \
        text_->used += n_ > 0 ? (size_t)n_ : 0;                                               \
    } while (0)

/* An address as addr2line wants it: the file that it is in, and where. */
struct numafy_place_in_file {
    uintptr_t at, offset;
    char name[NUMAFY_PATH_MAX];
};

NUMAFY_INNER_ int numafy_reach_object(struct numafy_os_object *object, size_t size, void *place)
{
    struct numafy_place_in_file *w = (struct numafy_place_in_file *)place;
    (void)size;
    for (unsigned i = 0; i < object->headers; i++) {
        const struct numafy_os_segment *s = &object->segment[i];
        if (s->type != 1 || w->at - (object->base + s->address) >= s->bytes)
            continue;
        w->offset = w->at - object->base;
        snprintf(w->name, sizeof w->name, "%s", object->name ? object->name : "");
        if (!w->name[0]) {
            const long n = numafy_os_syscall_(SYS_readlinkat, -100, "/proc/self/exe", w->name,
                                              sizeof w->name - 1);
            w->name[n > 0 ? n : 0] = 0;
        }
        return 1;
    }
    return 0;
}

/* `call`: the address behind a call. What belongs to no loaded file has no name. */
NUMAFY_INNER_ void numafy_reach_where(uintptr_t call, struct numafy_place_in_file *w)
{
    __builtin_memset(w, 0, sizeof *w);
    w->at = call ? call - 1 : 0;
    if (call)
        numafy_os_each_object_(numafy_reach_object, w);
}

NUMAFY_INNER_ void numafy_reach_json_where(struct numafy_text *out, uintptr_t call)
{
    struct numafy_place_in_file w;
    numafy_reach_where(call, &w);
    NUMAFY_TEXT_(out, "{\"module\":\"");
    for (const char *c = w.name; *c; c++) {
        if (*c == '"' || *c == '\\')
            NUMAFY_TEXT_(out, "\\%c", *c);
        else if ((unsigned char)*c < 32)
            NUMAFY_TEXT_(out, "\\u%04x", (unsigned)*c);
        else
            NUMAFY_TEXT_(out, "%c", *c);
    }
    NUMAFY_TEXT_(out, "\",\"offset\":\"0x%lx\"", (unsigned long)w.offset);
}

NUMAFY_INNER_ void numafy_reach_json(struct numafy_text *out)
{
    const struct numafy_reach *s = &numafy_reach_v3;
    const struct numafy_live *l = &numafy_live_v3;
    const char *comma = "";
    NUMAFY_TEXT_(out, "{\"pid\":%ld,\"dropped\":%zu,\"nodes\":[", numafy_os_syscall_(SYS_getpid),
                 l->dropped);
    for (unsigned i = 0; i < s->results; i++) {
        const struct numafy_reach_result *r = &s->result[i];
        NUMAFY_TEXT_(out, "%s{\"node\":%d,\"reachable\":%zu,\"on_node\":%zu,\"other_node\":%zu,",
                     i ? "," : "", r->node, r->reached, r->on_node, r->elsewhere);
        NUMAFY_TEXT_(out, "\"plain\":%zu,\"bytes\":%zu,\"bytes_on_node\":%zu,\"sites\":[", r->plain,
                     r->reached_bytes, r->on_node_bytes);
        comma = "";
        for (size_t j = 0; j < r->site_room && r->site; j++) {
            const struct numafy_reach_site *at = &r->site[j];
            if (!at->blocks)
                continue;
            NUMAFY_TEXT_(out, "%s", comma);
            numafy_reach_json_where(out, at->caller);
            NUMAFY_TEXT_(out, ",\"node\":%d,\"blocks\":%zu,\"bytes\":%zu}", at->node, at->blocks,
                         at->bytes);
            comma = ",";
        }
        NUMAFY_TEXT_(out, "]}");
    }
    NUMAFY_TEXT_(out, "],\"made\":[");
    comma = "";
    for (size_t j = 0; j < NUMAFY_LIVE_CALLERS; j++) {
        if (!l->made[j].blocks)
            continue;
        NUMAFY_TEXT_(out, "%s", comma);
        numafy_reach_json_where(out, l->made[j].caller);
        NUMAFY_TEXT_(out, ",\"node\":%d,\"blocks\":%zu}", l->made[j].node, l->made[j].blocks);
        comma = ",";
    }
    NUMAFY_TEXT_(out, "]}\n");
}

/* The callers with the most blocks off the node, the largest first. */
NUMAFY_INNER_ void numafy_reach_print_sites(struct numafy_text *out,
                                            const struct numafy_reach_result *r)
{
    size_t limit = SIZE_MAX, told = 0;
    while (r->site && told < NUMAFY_REACH_TOLD) {
        size_t next = 0;
        for (size_t j = 0; j < r->site_room; j++)
            if (r->site[j].node != r->node && r->site[j].blocks < limit && r->site[j].blocks > next)
                next = r->site[j].blocks;
        if (!next)
            return;
        for (size_t j = 0; j < r->site_room && told < NUMAFY_REACH_TOLD; j++) {
            struct numafy_place_in_file w;
            const struct numafy_reach_site *at = &r->site[j];
            if (at->node == r->node || at->blocks != next)
                continue;
            numafy_reach_where(at->caller, &w);
            NUMAFY_TEXT_(out, "numafy:   %zu blocks, %zu bytes on %s by %s+0x%lx\n", at->blocks,
                         at->bytes, at->node == NUMAFY_NO_NODE ? "the plain heap" : "another node",
                         w.name[0] ? w.name : "?", (unsigned long)w.offset);
            told++;
        }
        limit = next;
    }
}

NUMAFY_INNER_ void numafy_reach_print(struct numafy_text *out)
{
    const struct numafy_reach *s = &numafy_reach_v3;
    if (!s->results)
        NUMAFY_TEXT_(out, "numafy: reach: there is neither a block on a node nor a root\n");
    for (unsigned i = 0; i < s->results; i++) {
        const struct numafy_reach_result *r = &s->result[i];
        const size_t thousandths = r->reached ? r->on_node * 1000 / r->reached : 0;
        NUMAFY_TEXT_(out,
                     "numafy: reach of node %d: %zu blocks, %zu on the node (%zu.%zu %%), %zu on "
                     "others, %zu on the plain heap; %zu bytes, %zu on the node\n",
                     r->node, r->reached, r->on_node, thousandths / 10, thousandths % 10,
                     r->elsewhere, r->plain, r->reached_bytes, r->on_node_bytes);
        numafy_reach_print_sites(out, r);
    }
    if (numafy_live_v3.dropped)
        NUMAFY_TEXT_(out,
                     "numafy: reach: %zu blocks are missing, there was no memory to note them\n",
                     numafy_live_v3.dropped);
}

/* NUMAFY_REACH=file: one line of JSON at its end; without it text on stderr. */
NUMAFY_INNER_ void numafy_reach_at_exit(void)
{
    const char *where = numafy_live_v3.out;
    struct numafy_text text = {NULL, 0, 0};
    long fd = 2;
    if (!numafy_live_v3.on)
        return;
    if (!numafy_reach_claim_last()) {
        numafy_os_say("numafy: reach: the program ends in the middle of a look, nothing is told\n");
        return;
    }
    numafy_reach_look_round();
    for (int pass = 0; pass < 2; pass++) {
        text.used = 0;
        if (where)
            numafy_reach_json(&text);
        else
            numafy_reach_print(&text);
        if (!pass) {
            text.len = text.used + (64 << 10); /* other threads go on */
            text.buf = (char *)numafy_os_map(text.len);
            if (!text.buf)
                return;
        }
    }
    if (where)
        fd = numafy_os_syscall_(SYS_openat, -100, where, 02002101, 0666);
    if (fd >= 0) {
        numafy_os_syscall_(SYS_write, fd, text.buf,
                           text.used < text.len ? text.used : text.len - 1);
        if (where)
            numafy_os_syscall_(SYS_close, fd);
    } else {
        numafy_os_say("numafy: the file of NUMAFY_REACH cannot be written\n");
    }
    numafy_os_munmap_(text.buf, text.len);
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_REACH_H */
