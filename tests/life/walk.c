/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c: every function of numa_alloc.h once or twice, in two threads and a fork's child, with
 * all given back at the end. Prints the node of a block of node 1. WRONG: and one read too far. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "numa_alloc.h"

static int root[4];

static void *walk(void *of_another)
{
    char *p[64], text[4096];
    for (int i = 0; i < 64; i++) {
        const size_t size = (size_t)i * i * 20;
        p[i] = numafy_malloc(i % 3, size);
        memset(p[i], i, size);
        p[i] = numafy_realloc(p[i], size + 100);
    }
    for (int i = 0; i < 64; i++)
        numafy_free(p[i]);
    numafy_free(of_another);
    p[0] = numafy_calloc(1, 10, 100);
    p[1] = numafy_aligned_alloc(2, 4096, 100);
    p[2] = NULL;
    if (numafy_posix_memalign(0, (void **)&p[2], 64, 200))
        abort();
    numafy_root_add(root, sizeof root, 1);
    p[3] = numafy_malloc_near(root, 30);
    p[4] = numafy_calloc_near(p[1], 3, 30);
    p[5] = numafy_aligned_alloc_near(NULL, 256, 30);
    p[6] = numafy_realloc_near(p[3], NULL, 30);
    numafy_root_remove(root);
    p[7] = (numafy_enter(p[3]), (char *)numafy_leave(malloc(40)));
    {
        NUMAFY_SCOPE(p[4]);
        p[8] = strdup("follows p[4]");
    }
    p[9] = numafy_malloc(NUMAFY_INTERLEAVE, 1 << 20);
    p[10] = numafy_malloc(NUMAFY_LOCAL, 40000);
    numafy_stats_json(text, sizeof text);
    for (int i = 0; i < 11; i++)
        free(p[i]);
    numafy_purge(1);
    numafy_thread_flush();
    return NULL;
}

int main(void)
{
    pthread_t t;
    char *const block = numafy_malloc(1, 50);
    const int node = numafy_node_of(block);
#ifdef WRONG
    char *const volatile plain = malloc(40);
    if (plain[40])
        puts("");
    free(plain);
#endif
    walk(NULL);
    if (pthread_create(&t, NULL, walk, block))
        return 1;
    pthread_join(t, NULL);
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        walk(NULL);
        _exit(0);
    }
    waitpid(child, &status, 0);
    printf("%d\n", node);
    return status != 0;
}
