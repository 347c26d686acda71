// O13 O14 O17 O20: Where a function can stand: nested, local and anonymous classes, friends, operators, conversions, definitions out of line,
// unions, factories, members and statics.
#include "check.h"
#include "numa_alloc.h"
#include <initializer_list>
#include "numafy/near.h"
#line 6

namespace outer
{
namespace
{
struct Node {
    int v;
    Node *next;
};
} // namespace

class Owner
{
  public:
    Owner() = default;
    explicit Owner(int v);
    ~Owner();
    Owner &operator+=(int v);
    Owner &operator<<(int v) { return head =  ::new (::numafy::near(this)) Node{v, head}, *this; }
    Node *operator()(int v) const { return  ::new (::numafy::near(this)) Node{v, nullptr}; }
    Node *operator[](int v) { return head =  ::new (::numafy::near(this)) Node{v, head}; }
    explicit operator Node *() const { return  ::new (::numafy::near(this)) Node{7, nullptr}; }
    friend void add(Owner &owner, int v) { owner.head =  ::new (::numafy::near(&owner)) Node{v, owner.head}; }
    friend Owner &operator-(Owner &owner, int v);
    static void grow(Owner *owner, int v);
    Node *ref_qualified(int v) & { return  ::new (::numafy::near(this)) Node{v, nullptr}; }

    struct Nested {
        Node *own = nullptr;
        void fill(int v) { own =  ::new (::numafy::near(this)) Node{v, nullptr}; }
        static void grow(Nested &at, int v) { at.own =  ::new (::numafy::near(&at)) Node{v, at.own}; }
        struct Deeper {
            Node *own = nullptr;
            void fill(int v);
        } deeper;
    } nested;
    struct {
        Node *own = nullptr;
    } unnamed;
    union {
        Node *first;
        int *number;
    };
    void in_local(int v)
    {
        struct Local {
            Node *own = nullptr;
            void fill(int value) { own =  ::new (::numafy::near(this)) Node{value, nullptr}; }
        };
        static_assert(sizeof(Local) == sizeof(void *), "");
        Local *local =  ::new (::numafy::near(this)) Local;
        local->fill(v);
        CHECK_NODE(local->own, 1);
        unnamed.own =  ::new (::numafy::near(this)) Node{local->own->v, local->own};
        first =  ::new (::numafy::near(this)) Node{9, unnamed.own};
        delete local;
    }
    Node *head = nullptr;
};

Owner::Owner(int v) : head( ::new (::numafy::near(this)) Node{v, nullptr}) { nested.own =  ::new (::numafy::near(this)) Node{v, nullptr}; }
Owner::~Owner()
{
    Node *last =  ::new (::numafy::near(this)) Node{-1, head};
    std::printf("%d ", last->v);
    delete last;
}
Owner &Owner::operator+=(int v)
{
    head =  ::new (::numafy::near(this)) Node{v, head};
    return *this;
}
Owner &operator-(Owner &owner, int v)
{
    owner.head =  ::new (::numafy::near(&owner)) Node{v, owner.head};
    return owner;
}
void Owner::grow(Owner *owner, int v) { owner->head =  ::new (::numafy::near(owner)) Node{v, owner->head}; }
void Owner::Nested::Deeper::fill(int v) { own =  ::new (::numafy::near(this)) Node{v, nullptr}; }

union Either {
    Node *node;
    long number;
    void fill(int v) { node =  ::new (::numafy::near(this)) Node{v, nullptr}; }
};
struct Holder {
    Owner owner{1};
    Either either;
};
} // namespace outer

int main()
{
    using namespace outer;
    Holder *holder = new numa<Holder, 1>();
    Owner &owner = holder->owner;
    owner += 2;
    owner << 3;
    add(owner - 4, 5);
    Owner::grow(&owner, 6);
    owner.nested.fill(7);
    owner.nested.deeper.fill(8);
    Owner::Nested::grow(owner.nested, 14);
    holder->either.fill(10);
    owner.in_local(11);
    Node *nodes[] = {owner(12), owner[13], static_cast<Node *>(owner), owner.ref_qualified(15), owner.nested.own, owner.nested.deeper.own, holder->either.node,
                     owner.unnamed.own, owner.first};
    for (Node *n : nodes) {
        CHECK_NODE(n, 1);
        std::printf("%d ", n->v);
    }
    for (Node *n = owner.head; n != nullptr; n = n->next) {
        CHECK_NODE(n, 1);
        std::printf("%d ", n->v);
    }
    delete holder;
    std::printf("\n");
}
