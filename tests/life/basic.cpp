// SPDX-License-Identifier: Apache-2.0
// basic.cpp: the same in C++: what an object allocates while it is made follows it.
#include "numa_alloc.h"

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

struct Node {
    std::string name = std::string(100, 'n');
    std::vector<int> numbers = std::vector<int>(1000, 7);
};

int main()
{
    Node *placed = new numa<Node, 1>(), *plain = new Node;
    int elsewhere = 0;
    std::thread([&] {
        delete plain;
        plain = new Node;
        elsewhere = numafy_node_of(new (numafy::near(placed)) Node);
    }).join();
    std::printf("%d %d %d %d %d\n", numafy_node_of(placed), numafy_node_of(placed->name.data()),
                numafy_node_of(placed->numbers.data()), numafy_node_of(plain), elsewhere);
    delete placed;
    delete plain;
}
