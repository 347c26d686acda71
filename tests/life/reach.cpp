// SPDX-License-Identifier: Apache-2.0
// reach.cpp: the shapes of reach.c in C++, with containers and strings; for tests/python/test_reach.py.
#include "numa_alloc.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

struct Item {
    std::string name;
    std::vector<std::unique_ptr<Item>> below;
    explicit Item(int n) : name("a name that is too long for the object itself")
    {
        name += std::to_string(n);
    }
};

// 1 + 4 + 16 + 64 + 256 items, each with its string, and 85 vectors.
template <class Make>
void grow(Item *item, int depth, Make make)
{
    if (!depth)
        return;
    NUMAFY_SCOPE(make.keeps() ? item : nullptr);
    item->below.reserve(4);
    for (int i = 0; i < 4; i++) {
        item->below.emplace_back(make(item, i));
        grow(item->below.back().get(), depth - 1, make);
    }
}

struct Near {
    static bool keeps() { return true; }
    Item *operator()(Item *owner, int n) const
    {
        return ::numafy::done(::new (::numafy::near(owner).ctor()) Item(n));
    }
};
struct Plain {
    static bool keeps() { return false; }
    Item *operator()(Item *, int n) const { return new Item(n); }
};

int main(int argc, char **argv)
{
    std::unique_ptr<Item> root(new numa<Item, 1>(0));
    if (argc > 1 && !std::strcmp(argv[1], "plain"))
        grow(root.get(), 4, Plain());
    else
        grow(root.get(), 4, Near());
    return 0;
}
