// C++23, and the other standards' units. An explicit object parameter is a parameter: there is no `this`.
#include "check.h"
#include "numa_alloc.h"
#include "owner.hpp"
#include <compare>
#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include "numafy/near.h"
#line 10

struct TwentyThree {
    Node *head = nullptr;
    std::string text;
    constexpr auto operator<=>(const TwentyThree &) const = default;
#if defined __clang__ && __clang_major__ >= 18
    Node *push(this TwentyThree &self, int v) { return self.head =  ::new (::numafy::near(&self)) Node(v, self.head); }
    template <class S> auto any(this S &&self, int v) { return self.head =  ::new (::numafy::near(__builtin_addressof(self))) Node(v, self.head); }
    Node *made(this const TwentyThree &self, int v) { return  ::new (::numafy::near(&self)) Node(v, self.head); }
    void rename(this TwentyThree &self) { NUMAFY_SCOPE(&self); self.text.assign(100, 'x'); }
    Node *recurse(int n)
    {
        return [](this auto &&me, TwentyThree &o, int i) -> Node * {
            return i > 0 ? me(o, i - 1) : o.head =  ::new (::numafy::near(&o)) Node(i, o.head);
        }(*this, n);
    }
#elifdef __cplusplus
    Node *push(int v) { return head = new Node(v, head); }
#endif
    int fill(std::integral auto n)
    {
        int sum = 0;
        if consteval {
            sum = 1;
        } else {
            head =  ::new (::numafy::near(this)) Node(static_cast<int>(3uz + n));
        }
#if defined __clang__ && __clang_major__ >= 18
        rename();
        for (const Node *node : {push(1), any(2), ((void)::numafy::enter(this), ::numafy::leave(made(4))), recurse(5)}) {
            CHECK_NODE(node, 1);
            sum += node->v;
        }
        CHECK_NODE(text.data(), 1);
#endif
        CHECK_NODE(head, 1);
        return sum + head->v;
    }
};

struct Root {
    Eleven eleven;
    Fourteen fourteen;
    TwentyThree three;
};

int main()
{
    Root *root = new numa<Root, 1>();
    std::printf("%d %d %d\n", root->eleven.fill(), root->fourteen.fill(), root->three.fill(std::size_t{1}));
}
