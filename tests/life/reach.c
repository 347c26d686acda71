// SPDX-License-Identifier: Apache-2.0
// reach.c: shapes whose reach is known, for tests/python/test_reach.py. 1000 blocks of a list hang
// on one root; argv[1] says how they are made and what else happens.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct item {
    struct item *next;
    char *name;
};
enum { ITEMS = 1000 };

static struct item *fixed;
NUMAFY_ROOT_GLOBAL(fixed, 2)

__attribute__((noinline)) static struct item *near_item(const void *owner)
{
    return numafy_malloc_near(owner, sizeof(struct item));
}
__attribute__((noinline)) static struct item *plain_item(void)
{
    return malloc(sizeof(struct item));
}

static void append(struct item *root, const char *how)
{
    for (int i = 1; i < ITEMS; i++) {
        struct item *made = !strcmp(how, "plain") || (!strcmp(how, "one") && i == 500)
                                ? plain_item()
                                : near_item(root);
        // An address inside the block reaches it: here the name's, half the time.
        made->name = (char *)made + 4;
        made->next = root->next;
        root->next = made;
    }
}

static void *churn(void *root)
{
    for (;;) {
        struct item *made = near_item(root);
        char *big = malloc(1 << 20);
        made->name = big;
        free(big);
        free(made);
    }
    return NULL;
}

#ifndef NUMAFY_EXTERN // they wait for what the header keeps to itself
// Frees one block for every so many, so that there is a look nearly always; a large block makes it
// last.
static void *grow(void *root)
{
    struct item *last = root;
    last->name = memset(numafy_malloc(1, 32 << 20), 1, 32 << 20);
    for (long count = ITEMS;; count += count / 8) {
        for (long i = 0; i < count / 8; i++)
            near_item(root);
        free(near_item(root));
    }
    return NULL;
}

// Children that begin in the middle of a look, and end by exit.
static void fork_in_looks(struct item *root)
{
    pthread_t t;
    pthread_create(&t, NULL, grow, root);
    for (int i = 0; i < 3; i++) {
        while (!__atomic_load_n(&numafy_live_v3.scanning, __ATOMIC_ACQUIRE))
            sched_yield();
        const pid_t child = fork();
        if (!child)
            exit(0);
        waitpid(child, NULL, 0);
    }
}

static pthread_t looks;

// Only in the look itself: between two of them the signal may have met a lock of the allocator, and
// there no program can exit from a handler.
static void end(int number)
{
    (void)number;
    if (numafy_live_v3.scanning && !numafy_live_v3.lock.word)
        exit(0);
}

static void *interrupt(void *unused)
{
    for (;;) {
        while (!__atomic_load_n(&numafy_live_v3.scanning, __ATOMIC_ACQUIRE))
            sched_yield();
        pthread_kill(looks, SIGUSR1);
        usleep(1000);
    }
    return unused;
}
#endif

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "node";
    struct item *root = NUMAFY_NEW(struct item, 1);
    root->next = NULL;
    root->name = NULL;
    if (!strcmp(how, "root")) { // the list hangs on a registered pointer alone
        fixed = near_item(&fixed);
        fixed->next = NULL;
        fixed->name = NULL;
        append(fixed, "plain");
        return 0;
    }
    append(root, how);
    if (!strcmp(how, "guard")) { // memory that may not be read
        const long page = sysconf(_SC_PAGESIZE);
        char *pages = aligned_alloc((size_t)page, 3 * (size_t)page);
        *(void **)(pages + 2 * page) = plain_item();
        mprotect(pages + page, (size_t)page, PROT_NONE);
        root->name = pages;
    }
    if (!strcmp(how, "torn"))
        while (root) {
            struct item *next = root->next;
            free(root);
            root = next;
        }
    if (!strcmp(how, "threads")) {
        pthread_t t[3];
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, churn, root);
        usleep(200000);
    }
#ifndef NUMAFY_EXTERN
    if (!strcmp(how, "fork"))
        fork_in_looks(root);
    if (!strcmp(how, "exit")) {
        pthread_t t;
        looks = pthread_self();
        signal(SIGUSR1, end);
        pthread_create(&t, NULL, interrupt, NULL);
        grow(root);
    }
#endif
    return 0;
}
