// P71: Reached by two paths, one through a symbolic link: one file, one edit.
#pragma once

struct Node {
    int v;
    Node *next;
};
struct List {
    Node *head = nullptr;
    void push(int v) { head = new Node{v, head}; }
};
int total(const List &list);
