// A copy that leaves its function belongs to whoever asked for it: clone() is near neither the original nor the parameter it
// copies, and the call says whose node it is, of a virtual one, too.
#include "check.h"
#include "numa_alloc.h"
#include <memory>
#include <string>

struct Shop;
struct Reader {
    std::string text = "a text that no string keeps in itself";
    Shop *shop = nullptr;
    virtual ~Reader() = default;
    virtual Reader *clone() const { return new Reader(*this); }
    Reader *clone_for(Shop *other) const
    {
        std::unique_ptr<Reader> copy(new Reader(*this));
        copy->shop = other;
        return copy.release();
    }
    Reader *twin() { return mine = new Reader(*this); } /* it is kept here */
    Reader *mine = nullptr;
};
struct Loud : Reader {
    Reader *clone() const override { return new Loud(*this); }
};
template <class T> struct Box {
    T value;
    Box *copy() const { return new Box(*this); }
};

static Reader *copied(const Reader &reader)
{
    return new Reader(reader);
}

struct Shop {
    std::unique_ptr<Reader> first;
    Reader *second = nullptr, *third = nullptr;
    Box<int> *box = nullptr;
    void assign(const Shop &other)
    {
        first.reset(other.first->clone_for(this));
        second = other.first->clone();
        third = copied(*other.first);
        box = other.box->copy();
    }
};

int main()
{
    Shop *from = new numa<Shop, 1>(), *to = new numa<Shop, 2>();
    from->first.reset(new Loud);
    from->box = new Box<int>{7};
    to->assign(*from);
    CHECK_NODE(from->first.get(), 1);
    CHECK_NODE(to->first.get(), 2);
    CHECK_NODE(to->first->text.data(), 2);
    CHECK_NODE(to->second, 2);
    CHECK_NODE(to->second->text.data(), 2);
    CHECK_NODE(to->third, 2);
    CHECK_NODE(to->box, 2);
    CHECK_NODE(to->first->twin(), 2);
    std::printf("%d %d %d %d\n", to->first->shop == to, dynamic_cast<Loud *>(to->second) != nullptr, to->box->value,
                __LINE__);
    delete to->first->mine;
    delete to->second;
    delete to->third;
    delete to->box;
    delete from->box;
    delete static_cast<numa<Shop, 1> *>(from);
    delete static_cast<numa<Shop, 2> *>(to);
}
