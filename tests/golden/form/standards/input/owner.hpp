#ifndef OWNER_HPP
#define OWNER_HPP
struct Node {
    explicit Node(int value, Node *n = nullptr) noexcept : v(value), next(n) {}
    int v;
    Node *next;
};
struct Eleven {
    Node *head{nullptr}, *tail = nullptr;
    int fill();
};
struct Fourteen {
    Node *head = nullptr, *tail = nullptr;
    int fill();
};
#endif
