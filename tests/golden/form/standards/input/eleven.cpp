// C++11: lists, moves, packs, raw strings, attributes; nothing of a later standard may be in the output.
#include "check.h"
#include "owner.hpp"
#include <initializer_list>
#include <memory>
#include <utility>

namespace
{
enum class Kind : unsigned { first = 1 };
struct Several {
    Several(std::initializer_list<int> list) : sum(0)
    {
        for (int i : list)
            sum += i;
    }
    int sum;
};
struct Maker {
    std::unique_ptr<Several> several;
    Kind *kind{new Kind(Kind::first)};
    template <class T, class... A> T *make(A &&...a) { return new T(std::forward<A>(a)...); }
};
static const char *const words = R"(new Node(1) // "not a site")";
} // namespace

int Eleven::fill()
{
    const auto put = [this](int v) -> Node * { return head = new Node{v, head}; };
    put(1)->next = new Node(2);
    std::unique_ptr<Maker> maker(new Maker{});
    maker->several.reset(new Several{1, 2, 3});
    tail = maker->make<Node>(4, head);
    CHECK_NODE(head->next, 1);
    CHECK_NODE(tail, 1);
    CHECK_NODE(maker->kind, -1);
    CHECK_NODE(maker->several.get(), -1);
    alignas(16) static Node *const last = new Node(5, nullptr);
    return head->next->v + tail->v + last->v + maker->several->sum + (words[0] == 'n');
}
