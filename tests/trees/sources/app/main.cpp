// SPDX-License-Identifier: Apache-2.0
#include "account.hpp"

#include <cstdio>

int main()
{
    Ledger ledger;
    for (int i = 0; i < 50; i++) {
        char name[64];
        std::snprintf(name, sizeof name, "an account whose name is not short, %d", i % 10);
        if (journal_add(&ledger.open(name)->entries, "paid", i))
            return 1;
    }
    std::printf("total %d\n", ledger.total());
    return 0;
}
