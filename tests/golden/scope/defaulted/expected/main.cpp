// What clang writes for `= default` has no text in the file: no scope and no entry can stand in it. Who calls it enters.
#include "check.h"
#include "numa_alloc.h"
#include <functional>
#include <string>
#include "numafy/near.h"
#line 6

static const char *const LONG = "a text that is too long to fit into the string object";

class Action
{
  public:
    Action() = default;
    Action(const Action &rhs) = default;
    Action &operator=(const Action &rhs) = default;
    template <typename F> explicit Action(F f) : call(f), name(LONG) {}
    template <typename F> void operator=(F f) { NUMAFY_SCOPE(this); call = f; }
    friend bool same(const Action &a, const Action &b) { return a.name == b.name; }
    std::function<int(int)> call;
    std::string name;
};

struct Rule {
    Rule &operator=(const Rule &rhs);
    Rule() = default;
    Action action;
    std::string text;
};
Rule &Rule::operator=(const Rule &) = default;

struct Grammar {
    void copy(const Rule &rule) { NUMAFY_SCOPE(this); first = rule; }
    Rule first;
};

int main()
{
    Grammar *grammar = new numa<Grammar, 1>();
    Rule rule;
    rule.text = LONG;
    rule.action = Action([](int n) { return n + 1; });
    grammar->copy(rule);
    CHECK_NODE(grammar->first.text.data(), 1);
    CHECK_NODE(grammar->first.action.name.data(), 1);
    CHECK_NODE(rule.text.data(), -1);
    std::printf("%d %d line %d\n", same(rule.action, grammar->first.action), grammar->first.action.call(4),
                __LINE__);
    delete static_cast<numa<Grammar, 1> *>(grammar);
}
