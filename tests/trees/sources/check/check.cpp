// SPDX-License-Identifier: Apache-2.0
// The tree's own test. Says on how many nodes its accounts are, if a runtime that knows is there.
#include "account.hpp"

#include <cstdio>

extern "C" __attribute__((weak)) int numafy_node_of(const void *);

static int on_node_1(const Ledger &ledger)
{
    int count = 0;
    for (const Account *a = ledger.first; a; a = a->next)
        count += numafy_node_of && numafy_node_of(a) == 1;
    return count;
}

int main()
{
    Ledger ledger;
    int failed = 0;
    for (const char *name : {"rent", "food", "rent", "books", "food"})
        failed += journal_add(&ledger.open(name)->entries, name, 7) != 0;
    failed += ledger.total() != 35;
    failed += ledger.open("rent") != ledger.open("rent");
    std::printf("%d failed\n", failed);
    if (numafy_node_of)
        std::printf("%d accounts on node 1\n", on_node_1(ledger));
    return failed != 0;
}
