// SPDX-License-Identifier: Apache-2.0
// A program with an operator new of its own: none of its allocations may be edited.
#include <cstdio>
#include <cstdlib>
#include <new>

static int calls;

__attribute__((noinline)) void *operator new(std::size_t size)
{
    calls++;
    if (void *p = std::malloc(size))
        return p;
    throw std::bad_alloc();
}

__attribute__((noinline)) void operator delete(void *p) noexcept
{
    std::free(p);
}

__attribute__((noinline)) void operator delete(void *p, std::size_t) noexcept
{
    std::free(p);
}

struct Account {
    int number = 5;
};

int main()
{
    Account *a = new Account;
    int number = a->number;
    delete a;
    std::printf("%d %d\n", number, calls);
    return number != 5 || calls != 1;
}
