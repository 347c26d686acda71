// In class and function templates: the pattern is edited once, whatever the argument is.
#include "check.h"
#include "numa_alloc.h"
#include <new>
#include "numafy/near.h"
#line 5

template <class K, class V>
class Map
{
    struct Slot {
        K key;
        V value;
        Slot *next;
    };

  public:
    void put(const K &key, const V &value);
    void resize(int n)
    {
        Slot **bigger =  ::new (::numafy::near(this)) Slot *[n]();
        delete[] table;
        table = bigger;
        size = n;
    }
    const V *get(const K &key) const
    {
        for (Slot *s = first; s != nullptr; s = s->next)
            if (s->key == key)
                return &s->value;
        return nullptr;
    }
    const void *where() const { return table; }

  private:
    Slot *first = nullptr;
    Slot **table = nullptr;
    int size = 0;
};

template <class K, class V>
void Map<K, V>::put(const K &key, const V &value)
{
    first =  ::numafy::done( ::new (::numafy::near(this).ctor(), std::nothrow) Slot{key, value, first});
}

template <class T>
struct Box {
    T *value = nullptr;
};

template <class T>
void fill(Box<T> *box, const T &value)
{
    box->value =  ::numafy::done( ::new (::numafy::near(box).ctor()) T(value));
}

struct Store {
    Map<int, double> numbers;
    Box<Map<int, double>> spare;
};

int main()
{
    Store *store = new numa<Store, 2>();
    store->numbers.put(1, 1.5);
    store->numbers.put(2, 2.5);
    store->numbers.resize(100);
    CHECK_NODE(store->numbers.get(1), 2);
    CHECK_NODE(store->numbers.where(), 2);
    fill(&store->spare, store->numbers);
    CHECK_NODE(store->spare.value, 2);
    std::printf("%.1f %.1f %d\n", *store->numbers.get(1), *store->spare.value->get(2),
                store->numbers.get(3) == nullptr);
}
