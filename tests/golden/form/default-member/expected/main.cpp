// A default member initialiser runs in the constructor: its owner is this.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Part {
    int n = 4;
};
struct Whole {
    Part *part =  ::new (::numafy::near(this)) Part;
    Part *parts{ ::new (::numafy::near(this)) Part[3]};
    int count = 3;
};
struct Top {
    Whole *whole = nullptr;
    void make() { whole =  ::numafy::done( ::new (::numafy::near(this).ctor()) Whole); }
};

int main()
{
    Top *top = new numa<Top, 1>();
    top->make();
    CHECK_NODE(top->whole, 1);
    CHECK_NODE(top->whole->part, 1);
    CHECK_NODE(top->whole->parts, 1);
    std::printf("%d %d %d\n", top->whole->part->n, top->whole->parts[2].n, top->whole->count);
}
