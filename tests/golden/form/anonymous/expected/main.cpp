// Members of anonymous unions and structs; types without a name of their own file.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

namespace {
struct Hidden {
    int v;
};
} // namespace

struct Value {
    enum { NUMBER, HIDDEN } kind;
    union {
        int number;
        Hidden *hidden;
    };
    struct {
        Hidden *more;
    } extra;
    void set(int v)
    {
        kind = HIDDEN;
        hidden =  ::new (::numafy::near(this)) Hidden{v};
        extra.more =  ::new (::numafy::near(this)) Hidden{v + 1};
    }
};

int main()
{
    Value *value = new numa<Value, 1>();
    value->set(6);
    CHECK_NODE(value->hidden, 1);
    CHECK_NODE(value->extra.more, 1);
    std::printf("%d %d\n", value->hidden->v, value->extra.more->v);
}
