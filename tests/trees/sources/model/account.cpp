// SPDX-License-Identifier: Apache-2.0
#include "account.hpp"

Account *Ledger::open(const char *name)
{
    for (Account *a = first; a; a = a->next)
        if (a->name == name)
            return a;
    first = new Account(name, first);
    return first;
}

int Ledger::total() const
{
    int sum = 0;
    for (const Account *a = first; a; a = a->next)
        for (const entry *e = a->entries.first; e; e = e->next)
            sum += e->amount;
    return sum;
}

Ledger::~Ledger()
{
    while (Account *a = first) {
        first = a->next;
        journal_clear(&a->entries);
        delete a;
    }
}
