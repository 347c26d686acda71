// SPDX-License-Identifier: Apache-2.0
// owners.cpp: objects of static, thread and atexit owners that end after main, when thread caches
// are gone, and all forms of new and delete of the plain heap and of a pool.
#include "numa_alloc.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <thread>

struct Owner {
    char *block;
    std::map<int, std::string> *names;
    explicit Owner(int node) : block(static_cast<char *>(numafy_malloc(node, 500)))
    {
        NUMAFY_SCOPE_NODE(node);
        names = new std::map<int, std::string>;
        for (int i = 0; i < 100; i++)
            (*names)[i] = std::string(50, 'x');
    }
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    ~Owner()
    {
        free(numafy_malloc(2, 300)); // a late allocation too
        free(block);
        delete names;
    }
};

struct alignas(64) Wide {
    char bytes[64];
};

static Owner before_main(1);
static thread_local Owner of_thread(2);
static Owner *at_exit;

static void every_form()
{
    ::operator delete(::operator new(10));
    ::operator delete(::operator new(10), std::nothrow);
    ::operator delete(::operator new(10, std::nothrow), std::size_t(10));
    ::operator delete[](::operator new[](10));
    ::operator delete[](::operator new[](10, std::nothrow), std::nothrow);
    ::operator delete[](::operator new[](10), std::size_t(10));
    const std::align_val_t wide{64};
    ::operator delete(::operator new(64, wide), wide);
    ::operator delete(::operator new(64, wide, std::nothrow), wide, std::nothrow);
    ::operator delete(::operator new(64, wide), std::size_t(64), wide);
    ::operator delete[](::operator new[](64, wide), wide);
    ::operator delete[](::operator new[](64, wide, std::nothrow), wide, std::nothrow);
    ::operator delete[](::operator new[](64, wide), std::size_t(64), wide);
    delete new Wide;
    delete[] new Wide[3];
}

int main()
{
    every_form();
    {
        NUMAFY_SCOPE_NODE(1);
        every_form();
    }
    at_exit = new Owner(3);
    std::atexit([] { delete at_exit; });
    const bool here = of_thread.block && before_main.block;
    std::thread([] { std::printf("%d ", numafy_node_of(of_thread.block)); }).join();
    std::printf("%d %d %d\n", here, numafy_node_of(before_main.block),
                numafy_node_of(at_exit->names));
}
