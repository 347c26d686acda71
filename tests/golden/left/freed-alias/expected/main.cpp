// An owner may be gone under another name: what was released as p is not named as q, nor as a reference to it.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int v = 1;
    Node *next = nullptr;
    ~Node() { v = 0; }
};
struct Owner {
    Node *list = nullptr;
    void by_declaration(Node *p)
    {
        Node *q = p;
        if (p->v == 1) {
            delete p;
            q = list =  ::new (::numafy::near(this)) Node;
        }
        q->next =  ::new (::numafy::near(this)) Node;
        delete list->next;
    }
    void by_assignment()
    {
        Node *old, *other = nullptr;
        old = list;
        other = old;
        list = nullptr;
        if (old->v == 1) {
            delete old;
            other =  ::new (::numafy::near(this)) Node;
        }
        other->next =  ::new (::numafy::near(this)) Node;
        list = other;
    }
    void by_reference()
    {
        Node *p = list;
        Node &r = *p;
        list =  ::new (::numafy::near(this)) Node;
        r.next =  ::new (::numafy::near(&r)) Node;
        delete r.next;
        delete p;
    }
    void alive(Node *other)
    {
        Node *q = other;
        delete list;
        list =  ::new (::numafy::near(this)) Node;
        q->next =  ::new (::numafy::near(q)) Node;
    }
};

void free_function(Node *a, Node *b)
{
    Node *c = (Node *)b;
    delete c;
    a->next =  ::new (::numafy::near(a)) Node;
    Node *leaf =  ::new (::numafy::near(a)) Node;
    leaf->next =  ::new (::numafy::near(leaf)) Node;
    CHECK_NODE(leaf, 1);
    delete leaf->next;
    delete leaf;
}

void nobody(Node *b)
{
    Node *c = b;
    delete c;
    Node *n = new Node;
    delete n;
}

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->by_declaration( ::new (::numafy::near(owner)) Node);
    CHECK_NODE(owner->list, 1);
    owner->by_assignment();
    CHECK_NODE(owner->list->next, 1);
    delete owner->list->next;
    owner->by_reference();
    Node *other = owner->list->next =  ::new (::numafy::near(owner->list)) Node;
    owner->alive(other);
    CHECK_NODE(other->next, 1);
    free_function(owner->list, other->next);
    nobody(other);
    std::printf("%d\n", owner->list->v + owner->list->next->v);
}
