// In lambdas: this only where it is already captured; else a parameter, else nothing.
#include "check.h"
#include "numa_alloc.h"

struct Node {
    int value;
    Node *next;
};

struct Chain {
    Node *head = nullptr;

    void fill()
    {
        auto by_this = [this](int v) { head = new Node{v, head}; };
        auto by_copy = [=](int v) { return new Node{v, head}; };
        auto by_reference = [&](int v) { return head == nullptr ? nullptr : new Node[v]; };
        by_this(1);
        Node *two = by_copy(2);
        CHECK_NODE(two, 3);
        head = two;
        Node *many = by_reference(3);
        CHECK_NODE(many, 3);
        delete[] many;
        // [=] without a use of a member captures nothing: an owner would change that.
        auto uncaptured = [](int v) { return new Node{v, nullptr}; };
        auto unused = [=](int v) { return new Node{v, nullptr}; };
        auto by_parameter = [](Chain *chain, int v) { return new Node{v, chain->head}; };
        Node *left = uncaptured(9), *also_left = unused(9);
        CHECK_NODE(left, -1);
        CHECK_NODE(also_left, -1);
        delete left;
        delete also_left;
        head = by_parameter(this, 3);
    }
};

int main()
{
    Chain *chain = new numa<Chain, 3>();
    chain->fill();
    for (Node *n = chain->head; n != nullptr; n = n->next) {
        CHECK_NODE(n, 3);
        std::printf("%d\n", n->value);
    }
}
