// Words that make an operand unevaluated also stand before a function's body and beside an argument.
#include "check.h"
#include "numa_alloc.h"
#include <cstddef>
#include "numafy/near.h"
#line 5

struct Node {
    int v;
};
Node *pick(std::size_t size, Node *n)
{
    n->v += size == sizeof(Node);
    return n;
}
struct Owner {
    Node *a = nullptr, *b = nullptr, *c = nullptr;
    void first() noexcept { a =  ::new (::numafy::near(this)) Node{1}; }
    void second() noexcept(true)
    {
        b =  ::new (::numafy::near(this)) Node{2};
    }
    void third() { c = pick(sizeof(Node),  ::new (::numafy::near(this)) Node{3}); }
    void fourth() { c = pick(sizeof *a + sizeof a - sizeof(void *),  ::new (::numafy::near(this)) Node{static_cast<int>(sizeof new Node)}); }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->first();
    owner->second();
    owner->third();
    CHECK_NODE(owner->a, 1);
    CHECK_NODE(owner->b, 1);
    CHECK_NODE(owner->c, 1);
    std::printf("%d %d %d\n", owner->a->v, owner->b->v, owner->c->v);
    owner->fourth();
    CHECK_NODE(owner->c, 1);
    std::printf("%d\n", owner->c->v == static_cast<int>(sizeof(void *)) + 1);
}
