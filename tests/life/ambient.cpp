// SPDX-License-Identifier: Apache-2.0
// ambient.cpp: as ambient.c, with what C++ allocates: objects, arrays, containers, strings, shared
// objects, exceptions.
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" __attribute__((weak)) int numafy_node_of(const void *);

static std::atomic<int> blocks, on_node_1;

template <class T>
static T *seen(T *p)
{
    blocks++;
    on_node_1 += numafy_node_of && numafy_node_of(p) == 1;
    return p;
}

struct Node {
    Node *next;
    std::string name;
    long padding[8];
};

struct Registry {
    std::map<int, std::string> names;
    Registry()
    {
        for (int i = 0; i < 10; i++)
            seen(&names.emplace(i, std::string(100, 'x')).first->second);
    }
    ~Registry()
    {
        delete seen(new long(5));
        std::fprintf(stderr, "%d of %d on node 1\n", on_node_1.load(), blocks.load());
    }
};
static Registry registry; // before main, and after it

struct alignas(64) Wide {
    char bytes[64];
};

static long work(Node *list)
{
    std::vector<std::string> texts;
    long sum = 0;
    for (int i = 0; i < 100; i++)
        texts.push_back("a text that is too long to be short, " + std::to_string(i));
    for (const std::string &text : texts)
        sum += static_cast<long>(*seen(text.data()) + text.size());
    delete[] seen(new int[100]());
    delete seen(new Wide());
    delete seen(new (std::nothrow) Node());
    sum += *seen(std::make_shared<long>(17).get());
    try {
        throw std::runtime_error("an exception");
    } catch (const std::exception &e) {
        sum += static_cast<long>(std::string(e.what()).size());
    }
    for (; list; list = std::unique_ptr<Node>(list)->next)
        sum += static_cast<long>(list->name.size());
    return sum;
}

int main()
{
    std::atomic<long> sum(0);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
        Node *list = seen(new Node{seen(new Node()), "one", {}});
        threads.emplace_back([list, &sum] { sum += work(list); });
    }
    for (std::thread &t : threads)
        t.join();
    std::printf("%ld %zu\n", sum.load(), registry.names.size());
    return 3;
}
