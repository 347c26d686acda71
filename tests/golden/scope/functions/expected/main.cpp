// Functions that fill what a parameter or a local variable names, static methods, lambdas. With another owner than
// the scope's, and where no parameter is one, the statement is entered.
#include "check.h"
#include "numa_alloc.h"
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>
#include "numafy/near.h"
#line 13

static const char *const LONG = "a text that is too long to fit into the string object";

struct Node {
    std::string name;
    std::vector<int> values;
    std::map<int, std::string> notes;
    Node *next = nullptr;
    static void rename(Node *n, const char *to) { NUMAFY_SCOPE(n); n->name = to; }
    void each(int n);
    void later();
    std::function<void(int)> hook;
};
struct List {
    Node *first = nullptr;
    std::string title;
    std::unique_ptr<Node> spare;
    void push(Node *n)
    { NUMAFY_SCOPE(this);
        n->next = first;
        first = n;
        title += LONG;
        ((void)::numafy::enter(n), n->name = LONG);
    }
};

void label(Node &n) { NUMAFY_SCOPE(&n); n.name = LONG; }
void fill(std::vector<int> &v) { NUMAFY_SCOPE(&v); v.assign(100, 1); }
void both(List &l, Node *n)
{ NUMAFY_SCOPE(&l);
    l.title = LONG;
    ((void)::numafy::enter(n), n->name = LONG);
    fill(n->values);
}
void shared(const std::shared_ptr<Node> &n) { NUMAFY_SCOPE(n.get()); n->name = LONG; }
void read(std::istream &in, Node *n) { NUMAFY_SCOPE(n); std::getline(in, n->name); }
void copy(const std::vector<int> &from, Node *n)
{ NUMAFY_SCOPE(n);
    std::copy(from.begin(), from.end(), std::back_inserter(n->values));
}
void first_of(List *l)
{ NUMAFY_SCOPE(l);
    Node *n = l->first;
    n->notes[1] = LONG;
    for (auto &note : n->notes)
        ((void)::numafy::enter(&note), note.second += LONG);
    l->spare->name = LONG;
}
void by_value(std::string s) { s += LONG; }

void Node::each(int n)
{
    std::vector<int> steps(static_cast<std::size_t>(n), 1);
    std::for_each(steps.begin(), steps.end(), [this](int i) { NUMAFY_SCOPE(this); values.push_back(i); });
    std::for_each(steps.begin(), steps.end(), [&](int i) { NUMAFY_SCOPE(this); notes[i] = LONG; });
    auto add = [](Node *to) { NUMAFY_SCOPE(to); to->name.append(LONG); };
    add(this);
}
void Node::later()
{ NUMAFY_SCOPE(this);
    hook = [this](int i) { NUMAFY_SCOPE(this); notes[i] = LONG; };
}

int main()
{
    List *list = new numa<List, 1>();
    Node *node = new numa<Node, 1>();
    Node *other = new numa<Node, 0>();
    ((void)::numafy::enter(list), list->title = LONG);
    CHECK_NODE(list->title.data(), 1);
    list->push(node);
    list->push(other);
    CHECK_NODE(list->title.data(), 1);
    CHECK_NODE(other->name.data(), 0);
    label(*node);
    CHECK_NODE(node->name.data(), 1);
    Node::rename(other, LONG);
    CHECK_NODE(other->name.data(), 0);
    both(*list, other);
    CHECK_NODE(list->title.data(), 1);
    CHECK_NODE(other->values.data(), 0);
    std::istringstream in("something that is read from a stream, and long");
    ((void)::numafy::enter(node), node->name = std::string());
    ((void)::numafy::enter(node), node->name.shrink_to_fit());
    read(in, node);
    CHECK_NODE(node->name.data(), 1);
    std::vector<int> from(50, 7);
    CHECK_NODE(from.data(), -1);
    copy(from, node);
    CHECK_NODE(node->values.data(), 1);
    list->spare = std::unique_ptr<Node>(new numa<Node, 1>());
    first_of(list);
    CHECK_NODE(&other->values.back(), 0);
    CHECK_NODE(list->spare->name.data(), 1);
    other->each(40);
    CHECK_NODE(&other->values[39], 0);
    node->later();
    node->hook(17);
    CHECK_NODE(&node->notes[17], 1);
    std::shared_ptr<Node> plain(new Node);
    shared(plain);
    CHECK_NODE(plain->name.data(), -1);
    Node local;
    label(local);
    CHECK_NODE(local.name.data(), -1);
    by_value(LONG);
    std::printf("%s %zu %zu %s %d\n", node->name.c_str(), node->values.size(), other->values.size(),
                node->notes[17].c_str(), __LINE__);
}
