/* SPDX-License-Identifier: Apache-2.0 */
/* level.c: one of two units of a program, perhaps with another NUMAFY_DEBUG. OTHER: the one without
 * main. The block is allocated here, and freed twice there. */
#include "numa_alloc.h"

void give_back_twice(void *p);

#ifdef OTHER
void give_back_twice(void *p)
{
    void *volatile again = p;
    numafy_free(p);
    numafy_free(again);
}
#else
int main(void)
{
    void *p = numafy_malloc(0, 40);
    puts("to the end");
    fflush(stdout);
    give_back_twice(p);
    return 0;
}
#endif
