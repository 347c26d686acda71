// Where no scope may be: recursion by calls in tail position (5 million deep here), coroutines, constexpr functions,
// destructors, function-try-blocks, setjmp, bodies from a macro. Their statements are entered, if any.
#include "check.h"
#include "numa_alloc.h"
#include <coroutine>
#include <csetjmp>
#include <string>
#include <vector>
#include "numafy/near.h"
#line 9

static const char *const LONG = "a text that is too long to fit into the string object";

struct Node {
    std::vector<int> values;
    std::string name;
    Node *next = nullptr;
    void append(int n);
    int ping(int n);
    int pong(int n);
    virtual int hop(int n);
    Node() = default;
    Node(const Node &) = default;
    Node &operator=(const Node &) = default;
    virtual ~Node() { ((void)::numafy::enter(this), name = LONG); }
    constexpr int half(int n) const
    {
        std::vector<int> v(static_cast<std::size_t>(n), 1);
        v.push_back(1);
        return static_cast<int>(v.size()) / 2;
    }
    void guarded(int n) try { ((void)::numafy::enter(this), values.reserve(static_cast<std::size_t>(n))); } catch (...) { ((void)::numafy::enter(this), name = LONG); }
    bool jump()
    {
        std::jmp_buf here;
        if (setjmp(here))
            return true;
        ((void)::numafy::enter(this), name = LONG);
        return values.empty();
    }
};
struct Far : Node {
    int hop(int n) override;
};

void Node::append(int n)
{
    if (n == 0)
        return;
    if (n % 100000 == 0)
        ((void)numafy_enter(this), values.resize(values.size() + 1), (void)numafy_leave(0));
    next->append(n - 1);
}
int Node::ping(int n)
{
    if (n % 100000 == 0)
        ((void)numafy_enter(this), values.resize(values.size() + 1), (void)numafy_leave(0));
    if (n > 0)
        return pong(n - 1);
    return n;
}
int Node::pong(int n)
{
    int left = n;
    if (n > 0) {
        left = ping(n - 1);
        return left;
    }
    ((void)numafy_enter(this), name.append(LONG), (void)numafy_leave(0));
    return left;
}
int Node::hop(int n)
{
    if (n % 100000 == 0)
        ((void)numafy_enter(this), values.resize(values.size() + 1), (void)numafy_leave(0));
    return n > 0 ? next->hop(n - 1) : n;
}
int Far::hop(int n)
{
    ((void)numafy_enter(this), name = LONG, (void)numafy_leave(0));
    return n > 0 ? next->hop(n - 1) : n;
}
// Not in tail position: each step has a frame of its own anyway.
void depth(Node *n, int left)
{ NUMAFY_SCOPE(n);
    if (left > 0)
        depth(n, left - 1);
    n->values.push_back(left);
}

#define SETTER(fn) \
    void fn(Node *n) { n->name = LONG; }
SETTER(set_name)

struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};
Task work(Node *n)
{
    ((void)::numafy::enter(n), n->values.assign(200, 3));
    co_return;
}

int main()
{
    Node *node = new numa<Node, 1>();
    Node *far = new numa<Far, 1>();
    node->next = node;
    far->next = node;
#ifdef __OPTIMIZE__
    const int deep = 5000000;
#else
    const int deep = 1000; // each call has a frame here, before and after
#endif
    node->append(deep);
    node->ping(deep);
    node->hop(deep);
    far->hop(deep);
    depth(node, 1000);
    CHECK_NODE(node->values.data(), 1);
    CHECK_NODE(far->name.data(), 1);
    ((void)::numafy::enter(node), node->values = std::vector<int>());
    node->guarded(100);
    node->jump();
    CHECK_NODE(node->name.data(), 1);
    work(node);
    CHECK_NODE(node->values.data(), 1);
    set_name(node);
    std::printf("%zu %s %d %d\n", node->values.size(), node->name.c_str(), node->half(9), __LINE__);
}
