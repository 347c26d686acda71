// C++14: generic lambdas, captures with initialisers, digits in groups, variable templates, deduced results.
#include "check.h"
#include "owner.hpp"
#include <memory>
#include <utility>

template <class T> constexpr T thousand = T(1'000);
static auto made(Fourteen &owner, int v) { return owner.tail = new Node(v + 1'000 - thousand<int>, owner.tail); }

int Fourteen::fill()
{
    auto put = [this](auto v) { return head = new Node(static_cast<int>(v), head); };
    put(1L);
    put('\2');
    auto keep = [own = std::unique_ptr<Node>(new Node(0b11)), this] { return own->v + (head ? 1'0 : 0); };
    tail = std::make_unique<Node>(7).release();
    made(*this, 5);
    CHECK_NODE(head->next, 1);
    CHECK_NODE(tail, 1);
    CHECK_NODE(tail->next, 1);
    return head->v + head->next->v + tail->v + tail->next->v + keep();
}
