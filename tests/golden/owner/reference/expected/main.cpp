// O24: Owners that are references, values and smart pointers: the address is taken, .get() is called. Members whose type does
// not say what they point to: what is read from them by a cast is reached.
#include "check.h"
#include "numa_alloc.h"
#include <cstdint>
#include <memory>
#include "numafy/near.h"
#line 7

struct Node {
    int v;
    Node *next;
};
struct List {
    Node *head = nullptr;
    Node *spare[2] = {};
};
struct Hidden {
    int v = 8;
    Hidden *next = nullptr;
};
struct Deeper {
    int v = 9;
};
struct Books {
    void *opaque = nullptr;
    char *bytes = nullptr;
    std::uintptr_t handle = 0;
    Hidden *hidden() { return static_cast<Hidden *>(opaque); }
    void hide()
    {
        opaque =  ::new (::numafy::near(this)) Hidden;
        hidden()->next =  ::new (::numafy::near(this)) Hidden;
        ((Hidden *)opaque)->next->next =  ::new (::numafy::near(((Hidden*)opaque)->next)) Hidden;
        bytes = reinterpret_cast<char *>( ::new (::numafy::near(this)) Deeper);
        handle = reinterpret_cast<std::uintptr_t>( ::new (::numafy::near(this)) Deeper);
    }
    List first;
    std::unique_ptr<List> second;
    std::shared_ptr<List> third;
};

static void push(List &list, int v)
{
    list.head =  ::new (::numafy::near(&list)) Node{v, list.head};
}

static void push_owned(const std::unique_ptr<List> &list, int v)
{
    list->head =  ::new (::numafy::near(list.get())) Node{v, nullptr};
}

static void fill(Books *books, int i)
{
    books->first.spare[i] =  ::new (::numafy::near(&books->first.spare[i])) Node{1, nullptr};
    books->third->head =  ::new (::numafy::near(books->third.get())) Node{2, nullptr};
    Node **slot = &books->first.spare[0];
    *slot =  ::new (::numafy::near(slot)) Node{3, nullptr};
    (*slot)->next =  ::new (::numafy::near(*slot)) Node{4, nullptr};
}

int main()
{
    Books *books = new numa<Books, 1>();
    books->second.reset(new numa<List, 2>());
    ((void)::numafy::enter(books), books->third.reset(new numa<List, 3>()));
    push(books->first, 5);
    push_owned(books->second, 6);
    fill(books, 1);
    CHECK_NODE(books->first.head, 1);
    CHECK_NODE(books->second->head, 2);
    CHECK_NODE(books->third->head, 3);
    CHECK_NODE(books->first.spare[0]->next, 1);
    CHECK_NODE(books->first.spare[1], 1);
    books->hide();
    CHECK_NODE(books->hidden(), 1);
    CHECK_NODE(books->hidden()->next, 1);
    CHECK_NODE(books->hidden()->next->next, 1);
    CHECK_NODE(books->bytes, 1);
    CHECK_NODE(reinterpret_cast<Deeper *>(books->handle), 1);
    List local;
    push(local, 7);
    CHECK_NODE(local.head, -1);
    std::printf("%d %d %d %d %d %d\n", books->first.head->v, books->second->head->v, books->third->head->v,
                books->first.spare[0]->next->v, books->first.spare[1]->v, local.head->v);
    delete local.head;
}
