// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "entry.h"

#include <string>

struct Account {
    std::string name;
    journal entries{nullptr, 0};
    Account *next;
    Account(const char *n, Account *after) : name(n), next(after) {}
};

class Ledger {
public:
    ~Ledger();
    Account *open(const char *name);
    int total() const;
    Account *first = nullptr;
};
