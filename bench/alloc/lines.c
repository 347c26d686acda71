/* SPDX-License-Identifier: Apache-2.0 */
/* Cache lines that hold live blocks of two threads: counted by address after threads have freed
 * each other's blocks and allocated again. What the threads do in which order between two barriers
 * depends on the machine, what they own does not. Must not know: how a peer allocates. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

enum { LINE = 64, EXCHANGES = 8 };

struct owner_of_line {
    uintptr_t line;
    unsigned owner;
};

struct exchange {
    const struct bench_cell *cell;
    const struct bench_code *code;
    pthread_barrier_t together;
    struct side {
        struct exchange *all;
        unsigned id;
        pthread_t thread;
        void *slots[BENCH_BATCH];
    } sides[];
};

/* Half of the blocks, another half in each exchange. */
static bool goes(unsigned exchange, size_t index)
{
    return ((index * 2654435761u + exchange * 40503u) >> 7 & 1) != 0;
}

static void *side_run(void *argument)
{
    struct side *side = argument;
    struct exchange *all = side->all;
    const struct bench_cell *cell = all->cell;
    const struct bench_job job = {.node = cell->node, .id = side->id};
    void **others = all->sides[(side->id + 1) % cell->threads].slots;

    bench_pin(side->id);
    if (all->code->enter != NULL)
        all->code->enter(&job, cell->size);
    for (unsigned exchange = 0; exchange <= EXCHANGES; exchange++) {
        for (size_t i = 0; i < BENCH_BATCH; i++)
            if (side->slots[i] == NULL)
                side->slots[i] = all->code->alloc(cell->node, cell->size);
        pthread_barrier_wait(&all->together);
        for (size_t i = 0; i < BENCH_BATCH && exchange != EXCHANGES; i++) {
            const size_t k = bench_order[i];
            if (!goes(exchange, k))
                continue;
            all->code->release(cell->node, others[k], cell->size);
            others[k] = NULL;
        }
        pthread_barrier_wait(&all->together);
    }
    return NULL; /* its blocks stay: they are what is counted */
}

static int by_line(const void *a, const void *b)
{
    const struct owner_of_line *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->owner > y->owner) - (x->owner < y->owner);
}

static void lines_count(struct owner_of_line *owners, size_t count, struct bench_lines *lines)
{
    *lines = (struct bench_lines){0, 0};
    qsort(owners, count, sizeof *owners, by_line);
    for (size_t i = 0, end; i < count; i = end) {
        end = i;
        while (end < count && owners[end].line == owners[i].line)
            end++;
        lines->all++;
        lines->shared += owners[end - 1].owner != owners[i].owner;
    }
}

const char *bench_cell_lines(const struct bench_cell *cell, struct bench_lines *lines)
{
    const char *why = bench_cell_prepare(cell);
    if (why != NULL)
        return why;
    if (cell->peer->no_reuse)
        return "blocks cannot change their thread";
    /* Neither the threads' lists nor the result may come from the heap that is looked at. */
    const size_t most = (size_t)cell->threads * BENCH_BATCH * (cell->size / LINE + 2);
    const size_t head = sizeof(struct exchange) + cell->threads * sizeof(struct side);
    char *memory = mmap(NULL, head + most * sizeof(struct owner_of_line), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return strerror(errno);
    struct exchange *all = (struct exchange *)(void *)memory;
    struct owner_of_line *owners = (struct owner_of_line *)(void *)(memory + head);
    all->cell = cell;
    all->code = bench_code_find(cell->peer->name);
    pthread_barrier_init(&all->together, NULL, cell->threads);
    for (unsigned i = 0; i < cell->threads; i++) {
        all->sides[i].all = all;
        all->sides[i].id = i;
        if (pthread_create(&all->sides[i].thread, NULL, side_run, &all->sides[i]) != 0)
            _exit(3);
    }
    size_t count = 0;
    for (unsigned i = 0; i < cell->threads; i++)
        pthread_join(all->sides[i].thread, NULL);
    for (unsigned i = 0; i < cell->threads; i++)
        for (size_t k = 0; k < BENCH_BATCH; k++) {
            const uintptr_t start = (uintptr_t)all->sides[i].slots[k];
            for (uintptr_t at = start / LINE; start != 0 && at <= (start + cell->size - 1) / LINE;
                 at++)
                owners[count++] = (struct owner_of_line){at, i};
        }
    lines_count(owners, count, lines);
    return NULL;
}
