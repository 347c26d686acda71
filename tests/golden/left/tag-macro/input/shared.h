#pragma once
struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    void fill() { n = new Node{7}; }
};
int other(Owner *owner);
