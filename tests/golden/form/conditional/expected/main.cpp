// Glued to other tokens: ::new must not run into a colon or an angle bracket.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct X {
    int v;
};
template <class T>
struct Id {
    T *pass(T *p) { return p; }
};
struct Owner {
    X *x = nullptr;
    X *q = nullptr;
    void set(bool b)
    {
        x=b? ::new (::numafy::near(this)) X{1}:q;
        q=!b?x: ::new (::numafy::near(this)) X{2};
        x=( ::new (::numafy::near(this)) X{x->v+2});
        Id<X> id;
        q=id.pass( ::new (::numafy::near(this)) X{q->v+2});
        X *three[]={ ::new (::numafy::near(this)) X{5}, ::new (::numafy::near(this)) X{6},q};
        std::printf("%d %d %d %d %d\n",x->v,q->v,three[0]->v,three[1]->v,three[2]==q);
        CHECK_NODE(x, 1);
        CHECK_NODE(q, 1);
        CHECK_NODE(three[1], 1);
    }
};

int main()
{
    (new numa<Owner, 1>())->set(true);
}
