// O29 P87: Placement new allocates nothing, and a placement of the user's own is the user's business.
#include "check.h"
#include "numa_alloc.h"
#include <new>

struct Node {
    int v;
};
struct Pool {
    alignas(Node) char room[sizeof(Node) * 4];
    int used = 0;
};
void *operator new(std::size_t, Pool &pool)
{
    return pool.room + sizeof(Node) * static_cast<std::size_t>(pool.used++);
}
struct Owner {
    alignas(Node) char room[sizeof(Node)];
    Pool pool;
    Node *in_room = nullptr;
    Node *in_pool = nullptr;
    Node *on_heap = nullptr;
    void fill()
    {
        in_room = new (room) Node{1};
        in_pool = new (pool) Node{2};
        on_heap = new Node{3};
        ::new (static_cast<void *>(room)) Node{4};
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->on_heap, 1);
    std::printf("%d %d %d %d\n", owner->in_room->v, owner->in_pool->v, owner->on_heap->v, owner->pool.used);
}
