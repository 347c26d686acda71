// Every way to write the same thing: parentheses, braces, none, a global qualifier, names and typedefs of arrays.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int a = 1;
    Node *next = nullptr;
};
typedef Node Pair[2];

struct Owner {
    Node *n = nullptr;
    Node **table = nullptr;
    Node (*grid)[4] = nullptr;
    int *number = nullptr;
    void all(int count)
    {
        n =  ::new (::numafy::near(this)) Node;
        delete n;
        n =  ::new (::numafy::near(this)) Node();
        delete n;
        n =  ::new (::numafy::near(this)) Node{};
        delete n;
        n =  ::new (::numafy::near(this))(Node);
        delete n;
        n =  ::new (::numafy::near(this)) (Node)();
        delete n;
        n =  ::new (::numafy::near(this)) Node;
        delete n;
        n =  ::new (::numafy::near(this)) struct Node;
        delete n;
        n =  ::new (::numafy::near(this)) Pair;
        delete[] n;
        auto p =  ::new (::numafy::near(this)) auto(Node{});
        delete p;
        const Node *c =  ::new (::numafy::near(this)) const Node;
        delete c;
        table =  ::new (::numafy::near(this)) Node *[count];
        CHECK_NODE(table, 1);
        delete[] table;
        table =  ::new (::numafy::near(this)) (Node *[3]);
        delete[] table;
        table =  ::new (::numafy::near(this)) Node *(nullptr);
        delete table;
        grid =  ::new (::numafy::near(this)) Node[count][4];
        CHECK_NODE(grid, 1);
        delete[] grid;
        number =  ::new (::numafy::near(this)) int(count);
        CHECK_NODE(number, 1);
        delete number;
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->all(3);
    std::printf("%d\n", __LINE__);
}
