// Lambdas of every kind: a copied object is not the owner, generic and nested ones use what is captured already, parameters
// and their own captures too.
#include "check.h"
#include "numa_alloc.h"
#include <functional>
#include "numafy/near.h"
#line 6

struct Node {
    int v;
    Node *next;
};
struct Owner {
    Node *head = nullptr;
    std::function<Node *(int)> stored;
    static int use(Node *n, int node)
    {
        CHECK_NODE(n, node);
        (void)node;
        int v = n->v;
        delete n;
        return v;
    }
    int all(Owner *other)
    {
        auto copied = [*this](int v) { return new Node{v + (head == nullptr), nullptr}; };
        auto generic = [this](auto v) { return  ::new (::numafy::near(this)) Node{static_cast<int>(v), head}; };
        auto listed = [this]<class T>(T v) { return  ::new (::numafy::near(this)) Node{static_cast<int>(v), head}; };
        auto nested = [this](int v) {
            return [this, v](int w) { return [=, this] { return  ::new (::numafy::near(this)) Node{v + w, head}; }; };
        };
        auto inner_without = [this](int v) {
            auto inner = [](int w) { return new Node{w, nullptr}; };
            return head ? head : inner(v);
        };
        auto alias = [self = this](int v) { return self->head =  ::new (::numafy::near(self)) Node{v, nullptr}; };
        auto by_capture = [other](int v) { return other->head =  ::new (::numafy::near(other)) Node{v, nullptr}; };
        auto by_reference = [&other](int v) { return other->head =  ::new (::numafy::near(other)) Node{v, nullptr}; };
        auto with_parameter = [](Owner &at, int v) { return  ::new (::numafy::near(&at)) Node{v, at.head}; };
        auto mutable_one = [this, n = 0]() mutable noexcept { return  ::new (::numafy::near(this)) Node{++n, head}; };
        int sum = [&] { return use(head =  ::new (::numafy::near(this)) Node{1, nullptr}, 1); }();
        head = nullptr;
        sum += use(copied(2), -1) + use(generic(3L), 1) + use(listed('\4'), 1) + use(nested(5)(6)(), 1);
        sum += use(inner_without(7), -1) + use(alias(8), 1) + use(by_capture(9), 2) + use(by_reference(10), 2);
        head = other->head = nullptr;
        sum += use(with_parameter(*other, 11), 2) + use(mutable_one(), 1);
        stored = [this](int v) -> Node * { return v ?  ::new (::numafy::near(this)) Node{v, head} : nullptr; };
        return sum + use(stored(12), 1);
    }
};

int main()
{
    Owner *one = new numa<Owner, 1>(), *two = new numa<Owner, 2>();
    std::printf("%d\n", one->all(two));
}
