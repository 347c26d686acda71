// O23: --all: every class is a root, so a tree without any mark is owner-relative everywhere. No file is passed by for its name.
#include "check.h"
#include <string>
#include "numafy/near.h"
#line 4

struct Node {
    int v;
    Node *next;
};
struct List {
    Node *head = nullptr;
    void push(int v) { head =  ::new (::numafy::near(this)) Node{v, head}; }
};
#include "umf/TestSuite.hpp"

int main()
{
    Program program;
    program.start();
    program.list->push(4);
    CHECK_NODE(program.list->head, -1);
    std::printf("%d\n", program.list->head->v);
    delete program.list->head;
    delete program.list;
}
