/* C objects as roots: what is allocated near them is on their node. A header declares one of them. */
#include "check.h"
#include "numa_alloc.h"
#include "store.h"
#include "numafy/near.h"
#line 5

static struct store second NUMA(2), none; NUMAFY_ROOT_GLOBAL(second, 2)
struct store shared; NUMAFY_ROOT_GLOBAL(shared, 1)

static int work(void)
{
    struct store local = {0}; NUMAFY_ROOT_OBJECT(local, 3);
    int value;
    local.item = numafy_malloc_near(&local, sizeof *local.item);
    CHECK_NODE(local.item, 3);
    *local.item = 3;
    value = *local.item;
    numafy_free(local.item);
    return value;
}

int main(void)
{
    int sum = work();
    shared.item = numafy_malloc_near(&shared, sizeof *shared.item);
    second.item = numafy_malloc_near(&second, sizeof *second.item);
    none.item = numafy_malloc_near(&none, sizeof *none.item);
    CHECK_NODE(shared.item, 1);
    CHECK_NODE(second.item, 2);
    CHECK_NODE(none.item, -1);
    *shared.item = *second.item = *none.item = 4;
    sum += *shared.item + *second.item + *none.item;
    printf("%d %d\n", sum, __LINE__);
    numafy_free(shared.item);
    numafy_free(second.item);
    numafy_free(none.item);
    return 0;
}
