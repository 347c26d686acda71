// P77: A file that parses where it is included and fails as a unit of its own: it is not edited under any flags.
#include "check.h"

struct Node {
    int v;
    Node *next;
    void grow();
};
#include "part.cpp"

int main()
{
    Node first = {1, nullptr};
    first.grow();
    std::printf("%d\n", first.next->v);
    delete first.next;
    return 0;
}
