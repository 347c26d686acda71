// C++98: the scope and the enter are expressions and declarations of that time.
#include "check.h"
#include <map>
#include <string>
#include <vector>

struct Node {
    std::string name;
    std::vector<int> values;
    std::map<int, std::string> notes;
    Node &operator=(const Node &other);
    void set(const char *s) { name = s; notes[1] = s; }
    template <class T> void all(T first, T last) { values.assign(first, last); }
};
template <class T>
struct Box {
    std::vector<T> items;
    std::map<T, int> index;
    void add(const T &t) { items.push_back(t); index[t] += 1; }
    void add_all(const std::vector<T> &v);
};
template <class T>
void Box<T>::add_all(const std::vector<T> &v)
{
    items.insert(items.end(), v.begin(), v.end());
}
Node &Node::operator=(const Node &other)
{
    name = other.name;
    return *this;
}
static void note(Box<int> &b, Node *n)
{
    b.add(3);
    b.items.push_back(4);
    n->notes[4] = "four, with a text that is too long to fit into the string";
}

int main()
{
    Node *node = new Node;
    Box<int> *box = new Box<int>;
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
