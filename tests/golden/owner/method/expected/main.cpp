// In methods: the destination's base, else this. new, new[] and nothrow. Tags that are there already, of a user's hand, are
// kept: they are the output's own.
#include "check.h"
#include "numa_alloc.h"
#include <new>
#include "numafy/near.h"
#line 6

struct Node {
    int key;
    Node *left;
    Node *right;
    char *label;
};

class Tree
{
  public:
    Node *insert(int key);
    void grow(int count) { slots =  ::new (::numafy::near(this)) Node[count]; }
    Node *spare() { return  ::new (::numafy::near(this)) Node(); }
    Node *spare_or_null() { return  ::new (::numafy::near(this), std::nothrow) Node{-1, nullptr, nullptr, nullptr}; }
    bool label(Node *n, int size)
    {
        n->label =  ::new (::numafy::near(n), std::nothrow) char[size];
        return n->label != nullptr;
    }
    template <class T> T *by_hand(T **other)
    {
        *other = ::new (numa<T, 3>::at) T{6, nullptr, nullptr, nullptr};
        (*other)->left = new (::numafy::near(*other)) T{7, nullptr, nullptr, nullptr};
        (*other)->right = ::numafy::done(::new (numafy::on(4).ctor()) T());
        return new (numa<T, 2>::at, std::nothrow) T[2]{};
    }
    Node *root = nullptr;
    Node *slots = nullptr;
};

Node *Tree::insert(int key)
{
    if (root == nullptr) {
        root =  ::new (::numafy::near(this)) Node{key, nullptr, nullptr, nullptr};
        return root;
    }
    Node *at = root;
    while (true) {
        Node *&next = key < at->key ? at->left : at->right;
        if (next == nullptr)
            break;
        at = next;
    }
    if (key < at->key)
        return at->left =  ::new (::numafy::near(at)) Node{key, nullptr, nullptr, nullptr};
    at->right =  ::new (::numafy::near(at)) Node{key, nullptr, nullptr, nullptr};
    return at->right;
}

int main()
{
    Tree *tree = new numa<Tree, 1>();
    const int keys[] = {5, 3, 8, 1, 9};
    for (int key : keys)
        CHECK_NODE(tree->insert(key), 1);
    tree->grow(10);
    CHECK_NODE(tree->slots, 1);
    Node *a = tree->spare(), *b = tree->spare_or_null();
    CHECK_NODE(a, 1);
    CHECK_NODE(b, 1);
    bool labelled = tree->label(a, 100);
    CHECK_NODE(a->label, 1);

    Node *by_hand;
    CHECK_NODE(tree->by_hand<Node>(&by_hand), 2);
    CHECK_NODE(by_hand, 3);
    CHECK_NODE(by_hand->left, 3);
    CHECK_NODE(by_hand->right, 4);

    Tree plain;
    CHECK_NODE(plain.insert(1), -1);
    std::printf("%d %d %d %d %d line %d\n", tree->root->left->left->key, tree->root->right->right->key,
                b->key, labelled, plain.root->key, __LINE__);
    delete[] a->label;
    delete a;
    delete b;
    delete plain.root;
}
