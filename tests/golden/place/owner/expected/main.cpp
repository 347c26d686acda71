// Item=owner: Items follow their owner although no root reaches it; Others in the same method are left.
#include "check.h"
#include "numafy/near.h"
#line 3

struct Item {
    int value;
};
struct Other {
    int value;
};
struct Box {
    Item *item = nullptr;
    Other *other = nullptr;
    void fill()
    {
        item =  ::new (::numafy::near(this)) Item{1};
        other = new Other{2};
    }
};

int main()
{
    Box *plain = new Box;
    plain->fill();
    CHECK_NODE(plain->item, -1);
    CHECK_NODE(plain->other, -1);
    std::printf("%d %d\n", plain->item->value, plain->other->value);
    delete plain->item;
    delete plain->other;
    delete plain;
}
