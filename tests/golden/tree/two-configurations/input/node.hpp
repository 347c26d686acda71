// Two units see different lines of one header: each line is edited from where it is active.
#ifndef NODE_HPP
#define NODE_HPP

struct Node {
    int v;
    Node *next;
};
struct List {
    Node *head;
#ifdef LEFT
    void push_left(int v) { head = new Node{v, head}; }
#else
    void push_right(int v) { head = new Node{-v, head}; }
#endif
};
void right(List *list);
#endif
