/* SPDX-License-Identifier: Apache-2.0 */
/* types.h: the structs of the runtime and what holds between their fields. No code, no variable. */
#ifndef NUMAFY_TYPES_H
#define NUMAFY_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache.h"

enum {
    NUMAFY_SHARDS_MAX = 16, /* arenas per pool at most: 64 * 16 fit jemalloc's 12-bit arena ids */
    NUMAFY_ROOTS = 64,      /* near() scans them one by one */
    NUMAFY_CPUS = 4096,     /* CPUs that NUMAFY_LOCAL knows */
    NUMAFY_WORDS = NUMAFY_NODES / 64
};

/* A full, empty or partly filled array of free blocks of one pool and class: this head, then the
 * pointers. The blocks themselves are never written. `count` is right while it is not loaded. */
struct numafy_magazine {
    struct numafy_magazine *next; /* in a depot; while loaded: the thread's spare one, or NULL */
    unsigned count;
    unsigned limit; /* while loaded: how many blocks the thread may hold in it */
};

/* An entry of ctor(), enter or numa<T,k>, named by an address: of the temporary, of the frame (both
 * on the stack, so an entry below the stack pointer is dead), of the object. */
struct numafy_entry {
    uintptr_t key;
    int saved; /* thread.ambient before it */
    int kind;
};

/* What a thread has. Threads start at numafy_nothread_v3 and end at numafy_latethread_v3, which are
 * shared and never written by a thread. Own records come from mmap and are handed on to later
 * threads; the pages of bins that are not used stay untouched. */
struct numafy_thread {
    struct numafy_bin bin[(NUMAFY_SLOTS + 1) * NUMAFY_CLASSES]; /* first: cache.h finds it there */
    int ambient; /* node of plain allocations + 1, 0: none */
    int own;     /* 1: belongs to one thread */
    size_t depth, room;
    struct numafy_entry *entries;
    size_t unpushed;     /* pushes that found no memory: as many pops do nothing */
    size_t unpushed_key; /* of the youngest of them, 0: not known */
    uintptr_t stack_low, stack_size;
    unsigned shard;
    int reason; /* enum numafy_reason of the last failure, and its node */
    int reason_node;
    struct numafy_thread *next_free, *next_made;
    char text[192]; /* numafy_strerror's answer */
    struct numafy_entry first_entries[16];
    int flags[NUMAFY_SLOTS + 1];          /* NUMAFY_CACHE=tcache: mallocx flags per slot */
    size_t held[NUMAFY_SLOTS + 1];        /* bytes that the bins of a slot may hold */
    unsigned char hand[NUMAFY_SLOTS + 1]; /* which class gives room to others next */
};

/* The allocator below: the next malloc after ours in the search order of the dynamic linker. The
 * names end in _ because a user may have made macros of the plain ones. */
struct numafy_next {
    void *(*malloc_)(size_t);
    void *(*calloc_)(size_t, size_t);
    void *(*realloc_)(void *, size_t);
    void (*free_)(void *);
    void *(*memalign_)(size_t, size_t);
    size_t (*usable_size_)(void *);
};

/* What malloc, calloc, free and operator new of the program come to: the allocator below itself as
 * long as no node is in use, then functions that look at the ambient node and at the address. */
struct numafy_plain {
    void *(*malloc_)(size_t);
    void *(*calloc_)(size_t, size_t);
    void (*free_)(void *);
    void *(*new_)(size_t);
};

/* What every allocation and free reads. Written before the pools are ready, except slot_of and
 * node_of, which grow, and next, which the baseline changes. base <= p < base + span is the only
 * test of "ours".
 *
 * page_map has an entry for every 4 KiB of the reservation: where in a thread's record the bin of
 * the blocks that start there is, in 8 bytes from the first; 0: no class, ask jemalloc. It is
 * written when a block is taken from jemalloc, before anybody can free it; the pointer that reaches
 * a freeing thread carries the order, so both sides are relaxed. */
struct numafy_state {
    uintptr_t base;
    size_t span;
    uint16_t *page_map;
    unsigned shift;                                   /* a slot's range is 1 << shift bytes */
    uint8_t slot_of[NUMAFY_NODES + NUMAFY_NODE_ARGS]; /* by node + 3; 0: not made yet */
    int16_t node_of[NUMAFY_SLOTS + 1];                /* by slot; NUMAFY_NO_NODE: not made yet */
    struct numafy_next next;
};

/* Explicit tcaches that we take at most; jemalloc has 4,094 ids and the program may want some. A
 * thread beyond that allocates without a cache. */
#ifndef NUMAFY_TEST_TCACHE_BUDGET
enum { NUMAFY_TCACHE_BUDGET = 3584 };
#else
enum { NUMAFY_TCACHE_BUDGET = NUMAFY_TEST_TCACHE_BUDGET };
#endif

/* extent_hooks_t of jemalloc 5; numa_alloc.c asserts that the layouts agree. */
struct numafy_hooks {
    void *(*alloc)(struct numafy_hooks *, void *, size_t, size_t, bool *, bool *, unsigned);
    bool (*dalloc)(struct numafy_hooks *, void *, size_t, bool, unsigned);
    void (*destroy)(struct numafy_hooks *, void *, size_t, bool, unsigned);
    bool (*commit)(struct numafy_hooks *, void *, size_t, size_t, size_t, unsigned);
    bool (*decommit)(struct numafy_hooks *, void *, size_t, size_t, size_t, unsigned);
    bool (*purge_lazy)(struct numafy_hooks *, void *, size_t, size_t, size_t, unsigned);
    bool (*purge_forced)(struct numafy_hooks *, void *, size_t, size_t, size_t, unsigned);
    bool (*split)(struct numafy_hooks *, void *, size_t, size_t, size_t, bool, unsigned);
    bool (*merge)(struct numafy_hooks *, void *, size_t, void *, size_t, bool, unsigned);
};

/* A lock of ours. fork holds it in handlers of other libraries too, which may allocate: the thread
 * that forks passes it meanwhile. */
struct numafy_mutex {
    int word;              /* 0 free, 1 held, 2 held and awaited */
    unsigned long forking; /* pthread_self of the thread that forks, 0: none. Written when held */
};

/* The free magazines of one pool and class, which threads exchange with theirs. Its lock is held
 * for a few dozen instructions and never together with another one. */
struct numafy_depot {
    struct numafy_mutex lock;
    unsigned count; /* magazines in `full` */
    unsigned low;   /* the smallest count since the last sweep: nobody needed so many */
    struct numafy_magazine *full;  /* with blocks, perhaps not at its room */
    struct numafy_magazine *blank; /* without */
} __attribute__((aligned(64)));

/* What a pool has of jemalloc, several times for several CPUs: an arena and an explicit tcache,
 * which is bound to that arena for ever. The lock is taken around each use of the tcache, before
 * jemalloc's own locks and after the state's. */
struct numafy_shard {
    struct numafy_mutex lock;
    int flags;          /* mallocx flags of arena and tcache, 0: not made yet */
    int uncached_flags; /* the same without the tcache: for blocks that it would not keep */
    int inherited;      /* by a fork's child: see numafy_shard_flush */
} __attribute__((aligned(64)));

/* One pool: the range [start, start + 1 << shift) of the reservation. `used` grows, and shrinks
 * when the kernel refuses the pages, by compare-and-swap: jemalloc calls the hook with its own
 * locks held, so we take none there. [start, start + opened) is readable; used <= opened but for a
 * moment inside the hook. What is not said to be counted is written once, under the state's lock,
 * before slot_of names the slot. */
struct numafy_slot {
    struct numafy_hooks hooks; /* first: jemalloc hands its address back to us */
    uintptr_t start;           /* 0: the slot is not in use */
    size_t used;
    size_t opened;
    int node;                   /* the id that the user says, or NUMAFY_INTERLEAVE */
    int mapped;                 /* the kernel's node, NUMAFY_NO_NODE: first touch */
    int bind_error;             /* errno of mbind, 0 */
    int policy;                 /* the range's MPOL_ number, 0: first touch */
    int strict;                 /* 1: memory is looked at before it is given */
    struct numafy_mutex growth; /* one at a time, if strict; inside jemalloc's locks */
    int refused;                /* enum numafy_reason: why bind cannot serve here, 0 */
    int cause;                  /* enum numafy_reason: why the last growth failed, 0 */
    size_t fallbacks;           /* blocks that the plain heap served instead */
    size_t uncached;            /* NUMAFY_CACHE=tcache: (thread, pool) pairs that got no tcache */
    size_t taken;               /* bytes that jemalloc has handed to us and not got back */
    size_t in_depots;           /* of them, bytes in the depots */
    unsigned long swept;        /* when the depots were last swept, in seconds */
    struct numafy_depot *depot; /* one per class */
    struct numafy_shard shard[NUMAFY_SHARDS_MAX];
};

enum numafy_reason {
    NUMAFY_FINE,
    NUMAFY_OUT_OF_MEMORY,
    NUMAFY_OVERFLOW,
    NUMAFY_BAD_NODE,
    NUMAFY_BAD_ALIGNMENT,
    NUMAFY_ROOT_INVALID,
    NUMAFY_ROOTS_FULL,
    NUMAFY_NOT_BOUND,
    NUMAFY_NO_POOL,      /* from here on: why NUMAFY_MODE=bind gave nothing */
    NUMAFY_POOL_USED_UP, /* no address space left in the range */
    NUMAFY_NODE_FULL,    /* the kernel put pages elsewhere */
    NUMAFY_NODE_ABSENT,
    NUMAFY_NODE_MEMORYLESS,
    NUMAFY_NODE_NOT_ALLOWED, /* cpuset.mems, numactl --membind */
    NUMAFY_MBIND_FORBIDDEN,  /* EPERM */
    NUMAFY_MBIND_MISSING,    /* ENOSYS */
    NUMAFY_MBIND_REFUSED,    /* any other */
    NUMAFY_NODE_UNKNOWN,     /* nobody may ask where pages are */
    NUMAFY_NODE_FAILED       /* anything else; jemalloc serves no thread past its end */
};

/* What happens if a node is full, absent or forbidden. */
enum numafy_mode { NUMAFY_PREFER, NUMAFY_BIND, NUMAFY_ABORT };

/* An object that near() takes for a block of `node`. size 0: free. Readers take no lock: see
 * root_changes. A thread_local object is one entry for all threads: start counts from pthread_self,
 * and each thread knows its own object. */
struct numafy_root {
    uintptr_t start;
    size_t size;
    int node;
    int by_thread;
};

/* What an object is that NUMAFY_ROOT_OBJECT names; the same at each pass. */
enum numafy_storage { NUMAFY_STORAGE_UNKNOWN, NUMAFY_AUTOMATIC, NUMAFY_STATIC, NUMAFY_PER_THREAD };

enum numafy_phase { NUMAFY_NEW_BORN, NUMAFY_READY, NUMAFY_DISABLED };

/* What the machine has; read once. */
struct numafy_topology {
    uint64_t memory[NUMAFY_WORDS];  /* nodes with memory */
    uint64_t cpus[NUMAFY_WORDS];    /* nodes with CPUs */
    uint64_t allowed[NUMAFY_WORDS]; /* nodes with memory that we may use: cpuset, membind */
    uint64_t online[NUMAFY_WORDS];
    int unreadable;  /* a negative errno: sysfs did not tell, one node is assumed */
    bool task_bound; /* numactl --membind takes nodes from `allowed` */
    unsigned cpu_count;
    int16_t node_of_cpu[NUMAFY_CPUS]; /* -1: unknown */
};

/* The rest: read and written in slow paths, under the lock where it is not atomic. */
struct numafy_pools {
    int phase;                /* enum numafy_phase */
    int started;              /* 1: somebody reads the environment, 2: read */
    struct numafy_mutex lock; /* taken before jemalloc's */
    int mode;                 /* enum numafy_mode: NUMAFY_MODE */
    int onnode;               /* blocks come from numa_alloc_onnode */
    int quiet;                /* NUMAFY_QUIET */
    int sanitize_pass;        /* NUMAFY_SANITIZE=pass: off without a warning */
    int want_onnode;          /* NUMAFY_CACHE=onnode */
    int ambient;              /* NUMAFY_AMBIENT + 1, 0: none */
    int root_high;            /* roots[0..root_high) may be in use */
    unsigned root_changes;    /* odd while a root is written: readers wait, and read again */
    unsigned warned;          /* bits of warnings given */
    int use_tcache;           /* NUMAFY_CACHE=tcache, or a jemalloc whose classes are not ours */
    int distrust;             /* a plain block is handed out: 1 bins are being told, 2 all know */
    unsigned slots;           /* the highest slot in use; there may be gaps below */
    unsigned slot_limit;      /* the reservation has room for so many */
    unsigned shards;          /* arenas per pool */
    unsigned next_shard;      /* dealt round to new threads */
    unsigned key;             /* pthread key whose destructor ends a thread */
    unsigned main_tcaches;    /* test switch: how many were handed out */
    size_t tcaches;           /* explicit tcaches in use */
    size_t threads;           /* records in use */
    size_t lost_threads;      /* records of threads that a fork left behind in the child */
    size_t plain_served;      /* blocks that the plain heap served because the pools are off */
    size_t huge;              /* NUMAFY_HUGE: 0, 1, 2, or bytes of a page */
    const char *sysfs;        /* NUMAFY_SYSFS, or NULL */
    const char *stats;        /* NUMAFY_STATS, or NULL */
    const char *disabled;     /* why the pools are off, or NULL */
    const char *unfit;        /* why they must be, found at the start and told at the first use */
    struct numafy_thread *free_threads; /* records without a thread */
    struct numafy_thread *made_threads; /* all records that there ever were */
    struct numafy_mutex blank_lock;     /* around the next two */
    char *blank_at;                     /* where new magazines are cut from */
    size_t blank_left;
    size_t batch_mib[2]; /* experimental.batch_alloc; [0] 0: this jemalloc lacks it */
    unsigned short nregs[NUMAFY_CLASSES];   /* blocks in a slab, 1: not in slabs */
    unsigned char magazine[NUMAFY_CLASSES]; /* blocks in a magazine at most */
    uint64_t task_nodes[NUMAFY_WORDS];      /* numactl --membind's nodes; none: no such policy */
    uint64_t
        task_cpus[NUMAFY_CPUS / 64]; /* where the program was started (taskset); none: unknown */
    int16_t map[NUMAFY_NODES];       /* NUMAFY_NODEMAP: the kernel's node + 1, 0: itself */
    int16_t mapped[NUMAFY_NODES];    /* where the pool goes in the end, + 1; 0: not asked yet */
    struct numafy_root roots[NUMAFY_ROOTS];
    struct numafy_topology topology;
    struct numafy_slot slot[NUMAFY_SLOTS + 1];
};

#endif /* NUMAFY_TYPES_H */
