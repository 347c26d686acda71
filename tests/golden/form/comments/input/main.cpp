// O15 P75: Comments, line splices between tokens, digraphs, pragmas and macros stay where they are.
#include "check.h"
#include "numa_alloc.h"
#include <new>

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    void all(int count)
    {
        n = /* before */ new /* after the word */ Node /* before the brace */ {1};
        delete n;
        n = new // to the end of the line
            Node{2};
        delete n;
        n = new \
            Node{3};
        delete n;
        n = new Node<:count:> <%%>;
        delete<::>  n;
        n = new /* a */ ( /* b */ std::nothrow /* c */ ) Node{4};
#pragma GCC diagnostic push
#define FIVE /* new Node */ 5
        delete n, n = new Node{FIVE};
#pragma GCC diagnostic pop
        // a comment with new Node in it, "new Node"
        std::printf("new Node %d %s\n", n->v, R"(new Node)");
        CHECK_NODE(n, 1);
    }
};

int main()
{
    (new numa<Owner, 1>())->all(2);
}
