// --place in free functions; another type in the same file stays as it is.
#include "check.h"
#include <new>

struct Edge {
    int from, to;
};
struct Other {
    int x;
};

Edge *connect(int from, int to)
{
    return new Edge{from, to};
}

Edge *connect_or_null(int from, int to)
{
    Edge *edge = new (std::nothrow) Edge;
    if (edge != nullptr)
        *edge = {from, to};
    return edge;
}

static Edge *edges = new Edge[8]();

int main()
{
    Edge *a = connect(1, 2), *b = connect_or_null(3, 4);
    Other *other = new Other{5};
    CHECK_NODE(a, 1);
    CHECK_NODE(b, 1);
    CHECK_NODE(edges, 1);
    CHECK_NODE(other, -1);
    std::printf("%d %d %d %d\n", a->to, b->to, edges[7].to, other->x);
    delete a;
    delete b;
    delete[] edges;
    delete other;
}
