// A new in the initialiser of a switch, an if, a range-for and in a lambda's init-capture: the parser walks some of them
// only through the variable's uses.
#include "check.h"
#include "numa_alloc.h"
#include <memory>
#include "numafy/near.h"
#line 6

struct Node {
    int v = 1;
    Node *next = nullptr;
};
struct Owner {
    Node *list = nullptr;
    int in_switch(int v)
    {
        switch (auto *n =  ::new (::numafy::near(this)) Node{v, list}; n->v) {
        case 1:
            CHECK_NODE(n, 2);
            list = n;
            return 10;
        default:
            list = n;
            return n->v;
        }
    }
    int in_if(int v)
    {
        if (auto *n =  ::new (::numafy::near(this)) Node{v, list}; n->v > 2)
            list = n;
        else
            delete n;
        CHECK_NODE(list, 2);
        return list->v;
    }
    int in_range()
    {
        int sum = 0;
        int numbers[] = {1, 2, 3};
        for (std::unique_ptr<Node> n( ::new (::numafy::near(this)) Node{4, nullptr}); int i : numbers) {
            CHECK_NODE(n.get(), 2);
            sum += i * n->v;
        }
        for (Node *n =  ::new (::numafy::near(this)) Node[2]; int i : numbers) {
            CHECK_NODE(n, 2);
            sum += n[i % 2].v;
            if (i == 3)
                delete[] n;
        }
        return sum;
    }
    int in_capture()
    {
        auto use = [n =  ::new (::numafy::near(this)) Node{5, nullptr}, m = std::unique_ptr<Node>( ::new (::numafy::near(this)) Node{6, nullptr})](int more) {
            CHECK_NODE(n, 2);
            CHECK_NODE(m.get(), 2);
            int v = n->v + m->v + more;
            delete n;
            return v;
        };
        return use(1);
    }
    static int in_static(Owner *owner)
    {
        switch (Node *n =  ::new (::numafy::near(owner)) Node{7, owner->list}; n->v) {
        default:
            owner->list = n;
            return [n =  ::new (::numafy::near(owner)) Node{8, nullptr}] {
                CHECK_NODE(n, 2);
                std::unique_ptr<Node> gone(n);
                return n->v;
            }();
        }
    }
};

int main()
{
    Owner *owner = new numa<Owner, 2>();
    std::printf("%d %d", owner->in_switch(1), owner->in_switch(2));
    std::printf(" %d %d %d", owner->in_if(2), owner->in_if(3), owner->in_range());
    std::printf(" %d %d\n", owner->in_capture(), Owner::in_static(owner));
    for (Node *n = owner->list; n != nullptr; n = n->next)
        CHECK_NODE(n, 2);
}
