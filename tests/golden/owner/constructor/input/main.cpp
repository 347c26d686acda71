// O16: In constructors: initialisers and the body; what the construction of a member allocates follows the object. A class
// behind a pointer (pimpl) too, which is defined only after it is used.
#include "check.h"
#include "numa_alloc.h"
#include <memory>
#include <string>
#include <vector>

struct Entry {
    explicit Entry(int k) : key(k), bytes(new char[64]), next(nullptr)
    {
        twin = new Entry(*this, 0);
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
    List() : head(new Entry(1)), tail(head)
    {
        tail = tail->next = new Entry(2);
        Entry *third = new Entry(3);
        tail->next = third;
    }
    Entry *head;
    Entry *tail;
};

class Facade
{
  public:
    explicit Facade(int size);
    ~Facade();
    void add(int v);
    const void *where(int i) const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> impl;
};
struct Facade::Implementation {
    std::vector<int> numbers;
    std::unique_ptr<Entry> last;
    void add(int v)
    {
        numbers.push_back(v);
        last.reset(new Entry(v));
    }
};
Facade::Facade(int size) : impl(new Implementation)
{
    impl->numbers.reserve(static_cast<std::size_t>(size));
}
Facade::~Facade() = default;
void Facade::add(int v)
{
    impl->numbers.push_back(v);
    impl->add(v);
}
const void *Facade::where(int i) const
{
    return i == 0 ? static_cast<const void *>(impl.get()) : i == 1 ? impl->numbers.data() : static_cast<const void *>(impl->last.get());
}

int main()
{
    Facade *facade = new numa<Facade, 1>(1);
    facade->add(4);
    for (int i = 0; i < 3; i++)
        CHECK_NODE(facade->where(i), 1);
    List *list = new numa<List, 2>();
    for (Entry *e = list->head; e != nullptr; e = e->next) {
        CHECK_NODE(e, 2);
        CHECK_NODE(e->bytes, 2);
        CHECK_NODE(e->twin, 2);
        std::printf("%d %d\n", e->key, e->twin->key);
    }
}
