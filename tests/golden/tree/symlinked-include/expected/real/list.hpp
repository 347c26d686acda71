// P71: Reached by two paths, one through a symbolic link: one file, one edit.
#pragma once
#include "numafy/near.h"
#line 3

struct Node {
    int v;
    Node *next;
};
struct List {
    Node *head = nullptr;
    void push(int v) { head =  ::new (::numafy::near(this)) Node{v, head}; }
};
int total(const List &list);
