// SPDX-License-Identifier: Apache-2.0
// reach.c: shapes whose reach is known, for tests/python/test_reach.py. 1000 blocks of a list hang on
// one root; argv[1] says how they are made and what else happens.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    return 0;
}
