// --place in templates: a placed type where it is named; a placed class template's instance by its whole name.
#include "check.h"
#include "numafy/near.h"
#line 3

namespace graph {
struct Vertex {
    int id;
};
} // namespace graph

template <class T>
struct Arena {
    T *other = nullptr;
    graph::Vertex *vertex = nullptr;
    void fill(int id)
    {
        vertex =  ::new (::numafy::numa<graph::Vertex,1>::at) graph::Vertex{id};
        other = new T(id);
    }
};

template <class T>
graph::Vertex *vertices(T n)
{
    using graph::Vertex;
    return  ::new (::numafy::numa<Vertex,1>::at) Vertex[n]();
}

int main()
{
    Arena<long> arena;
    arena.fill(4);
    graph::Vertex *many = vertices(3);
    CHECK_NODE(arena.vertex, 1);
    CHECK_NODE(many, 1);
    CHECK_NODE(arena.other, -1);
    std::printf("%d %ld %d\n", arena.vertex->id, *arena.other, many[2].id);
    delete arena.vertex;
    delete arena.other;
    delete[] many;
}
