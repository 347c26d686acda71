// SPDX-License-Identifier: Apache-2.0
// plugins.c: a program that opens the libraries that it is given, uses them from threads and closes
// them. With HOST it has the header itself. Prints the node that each library gives its blocks, the
// node that the last one sees in the first one's, and what dlclose said.
#define _GNU_SOURCE
#ifdef HOST
#include "numa_alloc.h"
#endif

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct part {
    void *library;
    void *(*give)(int, unsigned long);
    void (*take)(void *);
    int (*node)(void *);
};

static int opened(struct part *p, const char *path)
{
    p->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!p->library)
        return 0;
    p->give = (void *(*)(int, unsigned long))(uintptr_t)dlsym(p->library, "part_give");
    p->take = (void (*)(void *))(uintptr_t)dlsym(p->library, "part_take");
    p->node = (int (*)(void *))(uintptr_t)dlsym(p->library, "part_node");
    return p->give && p->take && p->node;
}

static void *use(void *arg)
{
    const struct part *p = arg;
    void *blocks[100];
    for (int i = 0; i < 100; i++)
        blocks[i] = p->give(i % 4, (unsigned long)i * 50 + 1);
    for (int i = 0; i < 100; i++)
        p->take(blocks[i]);
    return NULL;
}

static void in_a_thread(void *(*run)(void *), void *arg)
{
    pthread_t t;
    pthread_create(&t, NULL, run, arg);
    pthread_join(t, NULL);
}

static void *waits(void *arg)
{
    pthread_barrier_t *const meet = ((void **)arg)[1];
    use(((void **)arg)[0]);
    pthread_barrier_wait(meet); // the library is closed meanwhile
    pthread_barrier_wait(meet);
    return NULL;
}

/* Gives unused memory of every arena back, which calls the hooks of those of the pools. */
static void purge_all(void)
{
    int (*mallctl)(const char *, void *, size_t *, void *, size_t) =
        (int (*)(const char *, void *, size_t *, void *, size_t))(uintptr_t)dlsym(RTLD_DEFAULT,
                                                                                  "mallctl");
    if (mallctl)
        mallctl("arena.4096.purge", NULL, NULL, NULL, 0);
}

int main(int argc, char **argv)
{
    struct part part[8];
    void *first = NULL;
#ifdef HOST
    first = numafy_malloc(1, 100);
    printf("host %d ", numafy_node_of(first));
    free(first);
    first = NULL;
#endif
    for (int i = 1; i < argc; i++) {
        if (!opened(&part[i], argv[i])) {
            printf("%s\n", dlerror());
            return 1;
        }
        in_a_thread(use, &part[i]);
        void *p = part[i].give(1, 100);
        printf("%d ", part[i].node(p));
        if (first)
            part[i].take(p);
        else
            first = p;
    }
    printf("%d ", part[argc - 1].node(first));
    part[argc - 1].take(first);

    pthread_t t;
    pthread_barrier_t meet;
    void *arg[2] = {&part[1], &meet};
    pthread_barrier_init(&meet, NULL, 2);
    pthread_create(&t, NULL, waits, arg);
    pthread_barrier_wait(&meet);
    for (int i = 1; i < argc; i++)
        printf("%d ", dlclose(part[i].library));
    pthread_barrier_wait(&meet);
    pthread_join(t, NULL);
    purge_all();
    free(malloc(100));
    puts("end");
    return 0;
}
