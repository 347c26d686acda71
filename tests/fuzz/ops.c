// SPDX-License-Identifier: Apache-2.0
// ops.c: see ops.h. An operation is a byte, its arguments the bytes that follow; when the source is
// dry they are zero, so every prefix of an input means something.
#define _GNU_SOURCE
#include "ops.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "numa_alloc.h"
#include "typed.h"

enum { MAILBOXES = 64, ROOT_AREA = 4096, ROOTS_MAX = 64 };

// After this a forked child is taken to be stuck; a planted bug makes it so.
#ifdef NUMAFY_TEST_PLANT
enum { CHILD_SECONDS = 5 };
#else
enum { CHILD_SECONDS = 60 };
#endif

// What the thread has set: the ambient node, and how to go back. Frames of enter are given by
// addresses in this array, which outlives them, so no entry is taken for a dead one.
struct ambient {
    int kind; // 0 scope, 1 enter
    int saved;
};
static __thread int ambient;
static __thread unsigned depth;
static __thread struct ambient stack[AMBIENTS];
// Past the end of its thread: scopes have no effect, and the plain heap may serve.
static __thread bool late;

static char root_area[ROOTS_MAX * ROOT_AREA];
static struct root {
    char *start;
    size_t size;
    int node;
} roots[ROOTS_MAX];

static struct mailbox {
    int locked, full;
    struct block block;
} mailboxes[MAILBOXES];

static void run_some(struct world *w, long n, const char *frame);

// --- input
static unsigned next_byte(struct source *s)
{
    if (s->data)
        return s->at < s->length ? s->data[s->at++] : 0;
    s->seed ^= s->seed << 13; // xorshift64
    s->seed ^= s->seed >> 7;
    s->seed ^= s->seed << 17;
    return (unsigned)(s->seed * 0x2545f4914f6cdd1du >> 56);
}

static bool is_dry(const struct source *s)
{
    return s->data && s->at >= s->length;
}

static unsigned next_word(struct source *s)
{
    const unsigned high = next_byte(s);
    return high << 8 | next_byte(s);
}

// Small sizes, the classes' borders, some larger ones, few very large ones.
static size_t next_size(struct world *w)
{
    const unsigned kind = next_byte(&w->in), v = next_word(&w->in);
    size_t size;
    if (kind < 128)
        size = v % 200;
    else if (kind < 192) // four classes to each power of two
        size = ((size_t)(4 + v % 4) << (2 + v / 4 % 14)) + v / 64 % 3 - 1;
    else if (kind < 240)
        size = v % 20000;
    else if (kind < 254)
        size = (size_t)v * 8;
    else
        size = (size_t)v * 256;
    const size_t left = w->bytes < ((size_t)64 << 20) ? ((size_t)64 << 20) - w->bytes : 0;
    return size <= left ? size : v % 200;
}

static const int nodes[] = {0, 1, 2, 3, 0, 1, NUMAFY_INTERLEAVE, NUMAFY_LOCAL, 252};

static int next_node(struct world *w)
{
    return nodes[next_byte(&w->in) % (sizeof nodes / sizeof nodes[0])];
}

static size_t next_alignment(struct world *w)
{
    const unsigned v = next_byte(&w->in);
    return (size_t)1 << (v < 250 ? v % 13 : v % 22);
}

static struct block *next_block(struct world *w)
{
    const unsigned v = next_word(&w->in);
    return w->count ? &w->blocks[v % w->count] : NULL;
}

// --- what the runtime should do
// The node of the CPU that runs us; on a machine with several the thread may have moved since the
// allocation that found `found`.
static int local_node(int found)
{
    static int several;
    unsigned cpu, node = 0;
    if (!several)
        several = access("/sys/devices/system/node/node1", F_OK) ? 1 : 2;
    syscall(SYS_getcpu, &cpu, &node, NULL);
    return several == 2 && found >= 0 ? found : (int)node;
}

// The node of the smallest root around p, -1 if there is none. Each world's roots are in its own
// part of root_area, so those of other threads do not matter.
static int root_node(const struct world *w, const char *p)
{
    size_t best = SIZE_MAX;
    int node = NUMAFY_NO_NODE;
    for (unsigned i = w->first_root; i < w->first_root + ROOTS; i++)
        if (roots[i].size && roots[i].size < best && p >= roots[i].start &&
            p < roots[i].start + roots[i].size) {
            best = roots[i].size;
            node = roots[i].node;
        }
    return node;
}

struct owner {
    const void *p;
    int node;  // of near(p)
    bool keep; // a scope leaves the ambient node
};

static struct owner next_owner(struct world *w, const char *frame)
{
    static char nobody[64];
    const unsigned kind = next_byte(&w->in) % 8, v = next_word(&w->in);
    const struct block *b = w->count ? &w->blocks[v % w->count] : NULL;
    const char *in_root = root_area + w->first_root * ROOT_AREA + v % (ROOTS * ROOT_AREA);
    switch (kind) {
    case 0:
        return (struct owner){NULL, ambient, true};
    case 1:
        return (struct owner){frame, ambient, ambient != NUMAFY_NO_NODE};
    case 2:
        return (struct owner){nobody + v % sizeof nobody, NUMAFY_NO_NODE, false};
    case 3:
    case 4:
        return (struct owner){in_root, root_node(w, in_root), false};
    default:
        if (!b)
            return (struct owner){nobody, NUMAFY_NO_NODE, false};
        return (struct owner){b->p + v % b->usable, b->node, false};
    }
}

// --- taking blocks in and out
static bool is_full(const struct world *w)
{
    return w->count >= w->room;
}

// In mode bind a pool has nothing for a thread after jemalloc's end of it.
static bool may_fail(int node)
{
    const char *mode = getenv("NUMAFY_MODE");
    return late && node != NUMAFY_NO_NODE && mode && !strcmp(mode, "bind");
}

// A block that an allocation on `node`, a node argument, has returned.
static void take(struct world *w, void *p, int node, size_t size, size_t alignment)
{
    if (!p && may_fail(node))
        return;
    if (!p)
        model_fail("no memory for %zu bytes on node %d: %s%s", size, node, numafy_strerror(),
                   late ? ", in a late destructor" : "");
    struct block *b = &w->blocks[w->count++];
    *b = (struct block){p, size, 0, alignment, node, (unsigned)(uintptr_t)p / 16 + w->count, 0};
    if (node == NUMAFY_LOCAL)
        b->node = local_node(numafy_node_of(p));
    if (late && numafy_node_of(p) == NUMAFY_NO_NODE)
        b->node = NUMAFY_NO_NODE;
    model_add(b);
    w->bytes += b->usable;
    if ((b->mark & 7) == 0 && b->usable < 65536) {
        // A program may use all of usable_size.
        model_remove(b);
        b->size = b->usable;
        model_add(b);
    }
}

static void leave_out(struct world *w, struct block *b)
{
    w->bytes -= b->usable;
    *b = w->blocks[--w->count];
}

static void check_zero(const unsigned char *p, size_t n)
{
    for (size_t i = 0; p && i < n; i++)
        if (p[i])
            model_fail("byte %zu of %zu of calloc's %p is 0x%02x", i, n, (const void *)p, p[i]);
}

static void free_block(struct world *w, struct block *b, unsigned how)
{
    const struct block gone = *b;
    model_remove(b);
    leave_out(w, b);
#ifndef FUZZ_NO_TYPED
    if (gone.typed && how % 4) {
        model_trace("delete (type %u *)%p; /* node %d */", gone.typed - 1, (void *)gone.p,
                    gone.node);
        typed_delete(gone.typed - 1, gone.p);
        return;
    }
#endif
    model_trace("%s(%p); /* %zu bytes of node %d */", how % 2 ? "free" : "numafy_free",
                (void *)gone.p, gone.size, gone.node);
    if (how % 2)
        free(gone.p);
    else
        numafy_free(gone.p);
}

// --- operations
static void op_malloc(struct world *w)
{
    const int node = next_node(w);
    const size_t size = next_size(w);
    model_trace("numafy_malloc(%d, %zu);", node, size);
    take(w, numafy_malloc(node, size), node, size, 0);
}

static void op_typed(struct world *w)
{
    const unsigned which = next_byte(&w->in) % TYPED;
#ifdef FUZZ_NO_TYPED
    (void)which;
    op_malloc(w);
#else
    size_t size;
    int node;
    if (may_fail(0)) // where new would throw
        return;
    void *p = typed_new(which, &size, &node);
    model_trace("new type %u; /* %p: %zu bytes on node %d */", which, p, size, node);
    take(w, p, node, size, 0);
    w->blocks[w->count - 1].typed = which + 1;
#endif
}

static void op_calloc(struct world *w)
{
    const int node = next_node(w);
    const size_t count = next_byte(&w->in) % 20, size = next_size(w) / 8;
    model_trace("numafy_calloc(%d, %zu, %zu);", node, count, size);
    void *p = numafy_calloc(node, count, size);
    check_zero(p, count * size);
    take(w, p, node, count * size, 0);
}

static void op_aligned(struct world *w)
{
    const int node = next_node(w);
    const size_t alignment = next_alignment(w), size = next_size(w);
    void *p = NULL;
    if (alignment < sizeof(void *) || next_byte(&w->in) % 2) {
        model_trace("numafy_aligned_alloc(%d, %zu, %zu);", node, alignment, size);
        p = numafy_aligned_alloc(node, alignment, size);
    } else {
        model_trace("numafy_posix_memalign(%d, &p, %zu, %zu);", node, alignment, size);
        const int e = numafy_posix_memalign(node, &p, alignment, size);
        if (e != (p ? 0 : ENOMEM))
            model_fail("posix_memalign returned %d and %p", e, p);
    }
    take(w, p, node, size, alignment);
}

static void op_near(struct world *w, const char *frame)
{
    const struct owner o = next_owner(w, frame);
    const unsigned form = next_byte(&w->in) % 4;
    const size_t size = next_size(w), alignment = form == 2 ? next_alignment(w) : 0;
    void *p;
    model_trace("%s_near(%p, %zu, %zu); /* node %d */",
                form == 0   ? "malloc"
                : form == 1 ? "calloc"
                : form == 2 ? "aligned_alloc"
                            : "realloc",
                o.p, alignment, size, o.node);
    switch (form) {
    case 0:
        p = numafy_malloc_near(o.p, size);
        break;
    case 1:
        p = numafy_calloc_near(o.p, 1, size);
        check_zero(p, size);
        break;
    case 2:
        p = numafy_aligned_alloc_near(o.p, alignment, size);
        break;
    default:
        p = numafy_realloc_near(o.p, NULL, size);
    }
    take(w, p, o.node, size, alignment);
}

static void op_plain(struct world *w)
{
    const unsigned form = next_byte(&w->in) % 7;
    const size_t size = next_size(w);
    size_t alignment = 0;
    void *p = NULL;
    model_trace("plain form %u of %zu bytes; /* ambient node %d */", form, size, ambient);
    switch (form) {
    case 0:
        p = calloc(3, size / 3);
        check_zero(p, size / 3 * 3);
        take(w, p, ambient, size / 3 * 3, 0);
        return;
    case 1:
        alignment = next_alignment(w);
        p = aligned_alloc(alignment, size);
        break;
    case 2:
        alignment = next_alignment(w);
        alignment = alignment < sizeof p ? sizeof p : alignment;
        if (posix_memalign(&p, alignment, size))
            p = NULL;
        break;
    case 3:
        p = reallocarray(NULL, 1, size);
        break;
    case 4:
        p = strdup("a string of libc's");
        take(w, p, ambient, strlen(p) + 1, 0);
        return;
    default:
        p = malloc(size);
    }
    take(w, p, ambient, size, alignment);
}

static void op_realloc(struct world *w, const char *frame)
{
    struct block *b = next_block(w);
    const unsigned how = next_byte(&w->in) % 4;
    const size_t size = next_size(w);
    const struct owner o = next_owner(w, frame);
    size_t at;
    if (!b)
        return;
    const struct block old = *b;
    model_trace("%s(%p, %zu); /* had %zu, node %d */",
                how % 2 ? "realloc"
                : how   ? "numafy_realloc"
                        : "numafy_realloc_near",
                (void *)old.p, size, old.size, old.node);
    model_remove(b);
    leave_out(w, b);
    unsigned char *p = how % 2 ? realloc(old.p, size)
                       : how   ? numafy_realloc(old.p, size)
                               : numafy_realloc_near(o.p, old.p, size);
    if (!p && !size)
        return;
    if (!p && may_fail(old.node)) {
        model_restore(&old);
        w->bytes += old.usable;
        w->blocks[w->count++] = old;
        return;
    }
    if (p && !model_filled(p, old.size < size ? old.size : size, &old, &at))
        model_fail("byte %zu of %zu is lost after a realloc from %zu bytes", at, size, old.size);
    // A block of 0 bytes from the plain heap: jemalloc does not free by realloc(p, 0).
    take(w, p, old.node, size, 0);
}

static void op_realloc_fails(struct world *w)
{
    struct block *b = next_block(w);
    if (!b)
        return;
    model_trace("numafy_realloc(%p, huge);", (void *)b->p);
    model_remove(b);
    errno = 0;
    if (numafy_realloc(b->p, SIZE_MAX / 2 - next_byte(&w->in)) || errno != ENOMEM)
        model_fail("a realloc to half the address space gave a block, or errno %d", errno);
    model_restore(b);
    model_check(b);
}

static void op_refused(struct world *w)
{
    static const int not_nodes[] = {1024, -4, 1 << 20, -2147483647};
    const unsigned v = next_byte(&w->in);
    void *p = &p;
    model_trace("something that must be refused, %u;", v);
    errno = 0;
    if (numafy_malloc(not_nodes[v % 4], 10) || errno != EINVAL)
        model_fail("node %d gave a block, or errno %d", not_nodes[v % 4], errno);
    errno = 0;
    if (numafy_calloc(next_node(w), SIZE_MAX / 4, 5) || errno != ENOMEM)
        model_fail("calloc overflowed, or errno %d", errno);
    errno = 0;
    if (numafy_malloc(next_node(w), SIZE_MAX - v) || errno != ENOMEM)
        model_fail("malloc of the address space gave a block, or errno %d", errno);
    errno = 0;
    if (numafy_aligned_alloc(1, 24, 10) || errno != EINVAL)
        model_fail("alignment 24 gave a block, or errno %d", errno);
    errno = 5;
    if (numafy_posix_memalign(1, &p, 4, 10) != EINVAL || errno != 5 || p != (void *)&p)
        model_fail("posix_memalign with alignment 4 was not refused cleanly");
    if (!late && !strcmp(numafy_strerror(), "no error"))
        model_fail("a refusal has no reason");
}

static void op_free(struct world *w)
{
    struct block *b = next_block(w);
    const unsigned how = next_byte(&w->in);
    if (b)
        free_block(w, b, how);
}

// Many of one size, then frees of all of them: magazines fill, empty, and change places.
static void op_burst(struct world *w)
{
    const int node = next_node(w);
    const size_t size = next_size(w) % 2048;
    const unsigned n = next_byte(&w->in) + 1, first = w->count, how = next_byte(&w->in);
    model_trace("%u times numafy_malloc(%d, %zu), freed in order %u;", n, node, size, how % 3);
    for (unsigned i = 0; i < n && !is_full(w); i++)
        take(w, numafy_malloc(node, size), node, size, 0);
    while (w->count > first) {
        const unsigned have = w->count - first;
        const unsigned i = how % 3 == 0 ? have - 1 : how % 3 == 1 ? 0 : have / 2;
        free_block(w, &w->blocks[first + i], how / 3);
    }
}

static void op_look(struct world *w)
{
    const struct block *b = next_block(w);
    int here;
    if (b) {
        model_check(b);
        // It has been written to, so its page is somewhere; -EPERM and the like: nobody tells.
        const int resident = b->size && w->count % 16 == 0 ? numafy_resident_node(b->p) : 0;
        if (resident == -ENOENT || resident == -EFAULT)
            model_fail("the page of %p is nowhere: %d", (void *)b->p, resident);
        if (b->node != NUMAFY_NO_NODE && malloc_usable_size(b->p) != b->usable)
            model_fail("malloc_usable_size says otherwise than numafy_usable_size");
    }
    if (numafy_node_of(&here) != NUMAFY_NO_NODE || numafy_node_of(NULL) != NUMAFY_NO_NODE ||
        numafy_node_of(root_area) != NUMAFY_NO_NODE || numafy_usable_size(NULL) != 0)
        model_fail("an address that is not ours has a node or a size");
}

static void op_root(struct world *w)
{
    const unsigned v = next_byte(&w->in), i = w->first_root + v % ROOTS;
    struct root *r = &roots[i];
    if (!w->roots)
        return;
    if (r->size) {
        model_trace("numafy_root_remove(%p);", (void *)r->start);
        numafy_root_remove(r->start);
        r->size = 0;
        return;
    }
    // Sizes differ by i, so "the smallest root" names one; starts differ, so remove names one.
    struct root made = {root_area + w->first_root * ROOT_AREA + v / ROOTS * 64 + i,
                        64 * (next_byte(&w->in) + 1u) + i, next_node(w)};
    made.start += next_byte(&w->in) % ROOTS * ROOT_AREA / 2;
    model_trace("numafy_root_add(%p, %zu, %d);", (void *)made.start, made.size, made.node);
    const int e = numafy_root_add(made.start, made.size, made.node);
    if (e)
        model_fail("a root was refused: %d", e);
    *r = made;
}

static void op_scope(struct world *w, const char *frame)
{
    if (late || depth == AMBIENTS)
        return;
    struct ambient *s = &stack[depth];
    const unsigned kind = next_byte(&w->in) % 3;
    int got;
    if (kind == 0) {
        const int node = next_byte(&w->in) % 8 ? next_node(w) : NUMAFY_NO_NODE;
        model_trace("numafy_scope_node_(%d);", node);
        got = numafy_scope_node_(node);
        *s = (struct ambient){0, ambient};
        ambient = node;
    } else {
        const struct owner o = next_owner(w, frame);
        model_trace("numafy_%s(%p); /* node %d */", kind == 1 ? "scope_" : "enter", o.p, o.node);
        *s = (struct ambient){kind == 2, ambient};
        if (kind == 1) {
            got = numafy_scope_(o.p);
            ambient = o.keep ? ambient : o.node;
        } else {
            // An address of this thread's lasting frame: the entry lives until its leave.
            got = numafy_enter_at_(o.p, frame);
            ambient = o.node;
        }
    }
    if (got != s->saved)
        model_fail("the previous ambient node is said to be %d, it was %d", got, s->saved);
    depth++;
}

static void end_scope(void)
{
    const struct ambient s = stack[--depth];
    model_trace("%s; /* back to node %d */", s.kind ? "numafy_leave()" : "end of scope", s.saved);
    if (!s.kind)
        numafy_scope_end_(s.saved);
    else if (depth % 2)
        numafy_leave_int(1);
    else
        numafy_leave(NULL);
    ambient = s.saved;
}

// A call that is left by longjmp: its entry goes at the next enter or leave.
__attribute__((noinline)) static void enter_deep_below(const void *owner)
{
    volatile char deep[8192];
    deep[64] = 0;
    numafy_enter_at_(owner, (const void *)(uintptr_t)&deep[64]);
}

static void op_jump(struct world *w, const char *frame)
{
    const struct owner o = next_owner(w, frame);
    if (late || depth == AMBIENTS)
        return;
    model_trace("numafy_enter(%p) of a frame that dies;", o.p);
    enter_deep_below(o.p);
    const int got = numafy_enter_at_(NULL, frame);
    if (got != o.node)
        model_fail("entered node %d is %d", o.node, got);
    // near(NULL) was asked while the dead entry still held: what it named is ambient now.
    stack[depth++] = (struct ambient){1, ambient};
    ambient = o.node;
    end_scope();
}

static void op_house(struct world *w)
{
    const unsigned v = next_byte(&w->in);
    if (v == 255) {
        model_trace("numafy_thread_bind(0);");
        numafy_thread_bind(0);
    } else if (v % 8) {
        model_trace("numafy_thread_flush();");
        numafy_thread_flush();
    } else {
        const int node = next_node(w);
        model_trace("numafy_purge(%d);", node);
        numafy_purge(node);
    }
}

// --- mailboxes
static bool mailbox_lock(struct mailbox *m)
{
    int open = 0;
    return __atomic_compare_exchange_n(&m->locked, &open, 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

// Swaps a block with a mailbox: another thread frees it.
static void op_hand(struct world *w)
{
    struct block *b = next_block(w);
    struct mailbox *m = &mailboxes[next_byte(&w->in) % MAILBOXES];
    if (!b || !w->handed || !mailbox_lock(m))
        return;
    const struct block got = m->block;
    const bool was_full = m->full;
    m->block = *b;
    m->full = 1;
    leave_out(w, b);
    __atomic_store_n(&m->locked, 0, __ATOMIC_RELEASE);
    if (was_full) {
        model_trace("takes %p over, %zu bytes of node %d;", (void *)got.p, got.size, got.node);
        model_check(&got);
        w->bytes += got.usable;
        w->blocks[w->count++] = got;
    }
}

void ops_empty_mailboxes(void)
{
    for (int i = 0; i < MAILBOXES; i++)
        if (mailboxes[i].full) {
            model_remove(&mailboxes[i].block);
            numafy_free(mailboxes[i].block.p);
            mailboxes[i].full = 0;
        }
}

// --- threads and processes
static pthread_key_t late_key;
static pthread_once_t late_once = PTHREAD_ONCE_INIT;

// Runs after the runtime's end of the thread: the key is older than the runtime's or younger, and
// the runtime ends a thread before any key's destructor.
static void run_late(void *arg)
{
    char frame[8];
    struct world *w = arg;
    late = true;
    ambient = NUMAFY_NO_NODE;
    depth = 0;
    run_some(w, next_byte(&w->in) % 16, frame);
}

static void make_late_key(void)
{
    if (pthread_key_create(&late_key, run_late))
        model_fail("no pthread key");
}

static void *run_thread(void *arg)
{
    struct world *w = arg;
    const unsigned v = next_byte(&w->in);
    if (v % 4 == 0) {
        pthread_once(&late_once, make_late_key);
        pthread_setspecific(late_key, w);
    }
    ops_run(w, 1 + v % 64);
    return NULL;
}

static void op_thread(struct world *w)
{
    pthread_t t;
    if (!w->threads || late)
        return;
    w->threads = false; // one at a time
    model_trace("a thread;");
    if (pthread_create(&t, NULL, run_thread, w))
        model_fail("no thread");
    pthread_join(t, NULL);
    model_trace("that thread has ended;");
    w->threads = true;
}

static void op_fork(struct world *w, const char *frame)
{
    int status;
    if (!w->forks || late)
        return;
    w->forks--;
    const unsigned n = next_byte(&w->in);
    model_trace("fork();");
    const pid_t child = fork();
    if (child < 0)
        model_fail("no fork: %d", errno);
    if (child == 0) {
        // The child's copy of the world goes on alone; mailboxes may be locked for ever.
        alarm(CHILD_SECONDS);
        model_trace("here the child begins;");
        w->handed = w->threads = false;
        run_some(w, n % 32, frame);
        w->threads = true;
        op_thread(w);
        while (w->count > w->room / 4)
            free_block(w, &w->blocks[w->count / 2], n);
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            model_fail("waitpid: %d", errno);
    if (status)
        model_fail("the child ended with status 0x%x", (unsigned)status);
}

// --- the loop
static void op(struct world *w, const char *frame)
{
    const unsigned v = next_byte(&w->in);
    if (is_full(w) && v < 130) {
        op_free(w);
        return;
    }
    if (v < 35)
        op_malloc(w);
    else if (v < 50)
        op_typed(w);
    else if (v < 60)
        op_calloc(w);
    else if (v < 72)
        op_aligned(w);
    else if (v < 92)
        op_near(w, frame);
    else if (v < 108)
        op_plain(w);
    else if (v < 128)
        op_realloc(w, frame);
    else if (v < 130)
        op_burst(w);
    else if (v < 190)
        op_free(w);
    else if (v < 206)
        op_look(w);
    else if (v < 212)
        op_root(w);
    else if (v < 219)
        op_scope(w, frame);
    else if (v < 227 && depth)
        end_scope();
    else if (v < 229)
        op_jump(w, frame);
    else if (v < 232)
        op_house(w);
    else if (v < 236)
        op_refused(w);
    else if (v < 239)
        op_realloc_fails(w);
    else if (v < 252)
        op_hand(w);
    else if (v < 254)
        op_thread(w);
    else
        op_fork(w, frame);
}

static void run_some(struct world *w, long n, const char *frame)
{
    for (long i = 0; i < n && !is_dry(&w->in); i++)
        op(w, frame);
}

void ops_run(struct world *w, long n)
{
    // Stays in place until every scope is closed: its address stands for the thread's frame.
    char frame[8];
    const int before = numafy_scope_node_(NUMAFY_NO_NODE);
    numafy_scope_end_(before);
    ambient = before;
    depth = 0;
    run_some(w, n, frame);
    while (depth)
        end_scope();
    if (numafy_scope_node_(before) != before)
        model_fail("the ambient node is not what it was");
}

void ops_end(struct world *w)
{
    while (w->count)
        free_block(w, &w->blocks[w->count - 1], w->count);
    for (unsigned i = w->first_root; i < w->first_root + w->roots; i++)
        if (roots[i].size) {
            numafy_root_remove(roots[i].start);
            roots[i].size = 0;
        }
    if (w->bytes)
        model_fail("the model's sum is wrong by %zu bytes", w->bytes);
}

void ops_one_input(const uint8_t *data, size_t length)
{
    static struct world w;
    memset(&w, 0, sizeof w);
    w.in = (struct source){data, length, 0, 0};
    w.room = BLOCKS;
    w.handed = w.threads = true;
    w.forks = 1;
    w.roots = ROOTS;
    ops_run(&w, LONG_MAX);
    ops_end(&w);
    ops_empty_mailboxes();
}

// --- statistics
static size_t number_after(const char *text, const char *name)
{
    const char *at = text ? strstr(text, name) : NULL;
    return at ? strtoull(at + strlen(name), NULL, 10) : SIZE_MAX;
}

void ops_check_stats(const struct world *w, unsigned live, size_t slack)
{
    static char text[64 << 10];
    const int n = numafy_stats_json(text, sizeof text);
    if (n <= 0 || (size_t)n != strlen(text) || text[0] != '{' || text[n - 1] != '}')
        model_fail("the statistics are no object: %.200s", text);
    const size_t threads = number_after(text, "\"threads\":");
    if (threads > live)
        model_fail("%zu threads are counted, %u live", threads, live);
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        char name[32];
        size_t bytes = 0;
        snprintf(name, sizeof name, "{\"node\":%d,", nodes[i]);
        const char *at = strstr(text, name);
        for (unsigned j = 0; w && j < w->count; j++)
            bytes += w->blocks[j].node == nodes[i] ? w->blocks[j].usable : 0;
        if (!at && !bytes)
            continue;
        const size_t counted = number_after(at, "\"live\":");
        if (counted < bytes || counted > bytes + slack)
            model_fail("node %d: %zu bytes are counted, %zu live", nodes[i], counted, bytes);
    }
}
