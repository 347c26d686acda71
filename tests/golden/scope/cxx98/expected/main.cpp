// C++98: the scope and the enter are expressions and declarations of that time.
#include "check.h"
#include <map>
#include <string>
#include <vector>
#include "numafy/near.h"
#line 6

struct Node {
    std::string name;
    std::vector<int> values;
    std::map<int, std::string> notes;
    Node &operator=(const Node &other);
    void set(const char *s) { NUMAFY_SCOPE(this); name = s; notes[1] = s; }
    template <class T> void all(T first, T last) { NUMAFY_SCOPE(this); values.assign(first, last); }
};
template <class T>
struct Box {
    std::vector<T> items;
    std::map<T, int> index;
    void add(const T &t) { NUMAFY_SCOPE(this); items.push_back(t); index[t] += 1; }
    void add_all(const std::vector<T> &v);
};
template <class T>
void Box<T>::add_all(const std::vector<T> &v)
{ NUMAFY_SCOPE(this);
    items.insert(items.end(), v.begin(), v.end());
}
Node &Node::operator=(const Node &other)
{ NUMAFY_SCOPE(this);
    name = other.name;
    return *this;
}
static void note(Box<int> &b, Node *n)
{ NUMAFY_SCOPE(&b);
    b.add(3);
    b.items.push_back(4);
    ((void)::numafy::enter(n), n->notes[4] = "four, with a text that is too long to fit into the string");
}

int main()
{
    Node *node =  ::numafy::done( ::new (::numafy::numa<Node,1>::at.ctor()) Node);
    Box<int> *box =  ::numafy::done( ::new (::numafy::numa<Box<int>,2>::at.ctor()) Box<int>);
    int more[] = {1, 2, 3};
    node->set("a text that is too long to fit into the string object");
    node->all(more, more + 3);
    note(*box, node);
    box->add_all(std::vector<int>(10, 2));
    CHECK_NODE(node, 1);
    CHECK_NODE(node->name.data(), 1);
    CHECK_NODE(&node->notes[1], 1);
    CHECK_NODE(&node->values[0], 1);
    CHECK_NODE(&node->notes[4], 1);
    CHECK_NODE(&box->items[0], 2);
    Node copy;
    copy = *node;
    CHECK_NODE(copy.name.data(), -1);
    std::printf("%s %d %d\n", copy.name.c_str(), static_cast<int>(box->items.size()), __LINE__);
    delete box;
    delete node;
}
