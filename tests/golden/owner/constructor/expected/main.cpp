// In constructors: initialisers and the body; what the construction of a member allocates follows the object.
#include "check.h"
#include "numa_alloc.h"
#include <string>
#include "numafy/near.h"
#line 5

struct Entry {
    explicit Entry(int k) : key(k), bytes( ::new (::numafy::near(this)) char[64]), next(nullptr)
    {
        twin =  ::new (::numafy::near(this)) Entry(*this, 0);
    }
    Entry(const Entry &from, int) : key(-from.key), bytes(nullptr), twin(nullptr), next(nullptr) {}
    int key;
    char *bytes;
    Entry *twin;
    Entry *next;
};

class List
{
  public:
    List() : head( ::numafy::done( ::new (::numafy::near(this).ctor()) Entry(1))), tail(head)
    {
        tail = tail->next =  ::numafy::done( ::new (::numafy::near(tail).ctor()) Entry(2));
        Entry *third =  ::numafy::done( ::new (::numafy::near(this).ctor()) Entry(3));
        tail->next = third;
    }
    Entry *head;
    Entry *tail;
};

int main()
{
    List *list = new numa<List, 2>();
    for (Entry *e = list->head; e != nullptr; e = e->next) {
        CHECK_NODE(e, 2);
        CHECK_NODE(e->bytes, 2);
        CHECK_NODE(e->twin, 2);
        std::printf("%d %d\n", e->key, e->twin->key);
    }
}
