// numa<T,k> cannot derive from these: they are placed by on(k).
#include "check.h"
#include "numafy/near.h"
#line 3

struct Leaf final {
    int value;
};

struct Base {
    virtual ~Base() = default;
    virtual int value() const { return 1; }
};
#ifdef __clang__
#pragma clang diagnostic ignored "-Wfinal-dtor-non-final-class"
#endif
struct Sealed : Base {
    ~Sealed() final {}
    int value() const override { return 2; }
};

class Counted
{
  public:
    static Counted *make() { return  ::new (::numafy::on(1)) Counted; }
    void drop() { delete this; }
    int uses = 3;

  private:
    virtual ~Counted() {}
};

int main()
{
    Leaf *leaf =  ::new (::numafy::on(1)) Leaf{4};
    Base *sealed =  ::new (::numafy::on(1)) Sealed;
    Counted *counted = Counted::make();
    CHECK_NODE(leaf, 1);
    CHECK_NODE(sealed, 1);
    CHECK_NODE(counted, 1);
    std::printf("%d %d %d\n", leaf->value, sealed->value(), counted->uses);
    delete leaf;
    delete sealed;
    counted->drop();
}
