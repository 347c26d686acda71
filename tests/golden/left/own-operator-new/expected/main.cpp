// Classes with their own operator new keep their sites: ::new would bypass it while delete still calls it.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Pooled {
    int v = 2;
    static void *operator new(std::size_t size)
    {
        made++;
        return std::malloc(size);
    }
    static void operator delete(void *p) { std::free(p); }
    static int made;
};
int Pooled::made;
struct Derived : Pooled {
};
struct Plain {
    int v = 3;
};
struct Owner {
    Pooled *pooled = nullptr;
    Derived *derived = nullptr;
    Plain *plain = nullptr;
    void fill()
    {
        pooled = new Pooled;
        derived = new Derived;
        plain =  ::new (::numafy::near(this)) Plain;
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->plain, 1);
    std::printf("%d %d %d %d\n", owner->pooled->v, owner->derived->v, owner->plain->v, Pooled::made);
    delete owner->pooled;
    delete owner->derived;
}
