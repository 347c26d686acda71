// Two units see different lines of one header: each line is edited from where it is active.
#ifndef NODE_HPP
#define NODE_HPP
#include "numafy/near.h"
#line 4

struct Node {
    int v;
    Node *next;
};
struct List {
    Node *head;
#ifdef LEFT
    void push_left(int v) { head =  ::new (::numafy::near(this)) Node{v, head}; }
#else
    void push_right(int v) { head =  ::new (::numafy::near(this)) Node{-v, head}; }
#endif
};
void right(List *list);
#endif
