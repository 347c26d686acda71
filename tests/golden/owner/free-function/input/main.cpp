// In free functions: destination, then the first parameter that reaches the type, else left.
#include "check.h"
#include "numa_alloc.h"
#include <new>

struct Node {
    int value;
    Node *next;
};
struct Stack {
    Node *top;
    Node *pool;
};

static void push(Stack *stack, int value)
{
    Node *n = new Node;
    n->value = value;
    n->next = stack->top;
    stack->top = n;
}

static void push_twice(int value, Stack *stack)
{
    stack->top = new Node{value, stack->top};
    stack->top = new (std::nothrow) Node{value, stack->top};
}

static void append(Node *last, int value)
{
    last->next = new Node{value, nullptr};
}

static void reserve(Stack *stack, int count)
{
    Node *block = new Node[count]();
    stack->pool = block;
}

static Node *orphan(int value)
{
    return new Node{value, nullptr};
}

int main()
{
    Stack *stack = new numa<Stack, 1>();
    push(stack, 1);
    append(stack->top, 0);
    push_twice(2, stack);
    reserve(stack, 50);
    CHECK_NODE(stack->pool, 1);
    for (Node *n = stack->top; n != nullptr; n = n->next) {
        CHECK_NODE(n, 1);
        std::printf("%d ", n->value);
    }
    Node *alone = orphan(7);
    CHECK_NODE(alone, -1);
    std::printf("%d line %d\n", alone->value, __LINE__);
    delete alone;
}
