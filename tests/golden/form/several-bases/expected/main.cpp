// O13: Several bases and virtual ones: an owner's address may be inside its block, and a block is released through each base.
#include "check.h"
#include "numa_alloc.h"
#include <memory>
#include <string>
#include "numafy/near.h"
#line 6

static int alive;
struct Named {
    virtual ~Named() { alive--, delete next; }
    explicit Named(int size = 40) : name(static_cast<std::size_t>(size), 'n') { alive++; }
    std::string name;
    Named *next = nullptr;
};
struct Counted {
    virtual ~Counted() { delete inner; }
    Counted *inner = nullptr;
    int count = 1;
};
struct Plain {
    int *number = nullptr;
    void fill(int v) { number =  ::new (::numafy::near(this)) int(v); }
};
struct Left : virtual Named {
};
struct Right : virtual Named {
    Named *add() { return next =  ::numafy::done( ::new (::numafy::near(this).ctor()) Left); }
};
struct Both : Left, Right, Counted, private Plain {
    explicit Both(int depth) : Named(50)
    {
        fill(depth);
        if (depth > 0)
            inner =  ::numafy::done( ::new (::numafy::near(this).ctor()) Both(depth - 1));
    }
    ~Both() override { delete number; }
    int *get() const { return number; }
};
struct Owner {
    Named *named = nullptr;
    Right *right = nullptr;
    std::unique_ptr<Counted> counted;
    void fill()
    {
        named =  ::numafy::done( ::new (::numafy::near(this).ctor()) Both(0));
        right =  ::numafy::done( ::new (::numafy::near(this).ctor()) Both(1));
        counted.reset( ::numafy::done( ::new (::numafy::near(this).ctor()) Both(2)));
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->right->add(), 1);
    CHECK_NODE(dynamic_cast<Both *>(owner->named), 1);
    Counted *deepest = owner->counted->inner->inner;
    Both *both = dynamic_cast<Both *>(deepest);
    CHECK_NODE(both, 1);
    CHECK_NODE(both->get(), 1);
    CHECK_NODE(both->name.data(), 1);
    CHECK_NODE(owner->right->next->name.data(), 1);
    std::printf("%d %zu alive %d\n", *both->get(), both->name.size(), alive);
    delete owner->named;
    delete owner->right;
    owner->counted.reset();
    std::printf("alive %d\n", alive);
}
