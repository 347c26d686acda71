// Pointers that own: the pointee belongs to the object that holds the smart pointer.
#include "check.h"
#include "numa_alloc.h"
#include <memory>
#include "numafy/near.h"
#line 5

struct X {
    explicit X(int v) : value(v) {}
    int value;
};

class Holder
{
  public:
    Holder() : first( ::new (::numafy::near(this)) X(1)) {}
    void more()
    {
        second = std::unique_ptr<X>( ::new (::numafy::near(this)) X(2));
        third.reset( ::new (::numafy::near(this)) X(3));
        array = std::unique_ptr<X[]>( ::new (::numafy::near(this)) X[2]{X(4), X(5)});
    }
    std::unique_ptr<X> first, second, third;
    std::unique_ptr<X[]> array;
};

int main()
{
    std::unique_ptr<Holder> holder(new numa<Holder, 1>());
    holder->more();
    CHECK_NODE(holder->first.get(), 1);
    CHECK_NODE(holder->second.get(), 1);
    CHECK_NODE(holder->third.get(), 1);
    CHECK_NODE(holder->array.get(), 1);
    std::printf("%d %d %d %d\n", holder->first->value, holder->second->value, holder->third->value,
                holder->array[1].value);
}
