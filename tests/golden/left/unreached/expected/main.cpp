// What no root reaches stays: another structure with the same shape, and types of its own.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int v;
    Node *next;
};
struct Placed {
    Node *head = nullptr;
    void add(int v) { head =  ::new (::numafy::near(this)) Node{v, head}; }
};
struct Log {
    int line;
    Log *next;
};
struct Plain {
    Log *log = nullptr;
    void add(int line) { log = new Log{line, log}; }
};

int main()
{
    Placed *placed = new numa<Placed, 1>();
    placed->add(1);
    Plain *plain = new Plain;
    plain->add(2);
    CHECK_NODE(placed->head, 1);
    CHECK_NODE(plain->log, -1);
    std::printf("%d %d\n", placed->head->v, plain->log->line);
    delete plain->log;
    delete plain;
}
