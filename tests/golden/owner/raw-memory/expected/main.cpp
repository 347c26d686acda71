// Memory through a traits class, objects constructed in it, a cursor that is returned beside the
// new object, and a static function that hands over a unique_ptr: whoever calls says whose it is.
#include "check.h"
#include "numa_alloc.h"
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include "numafy/near.h"
#line 9

#define IS_NOEXCEPT(e) noexcept(e)

struct DefaultTraits {
    static void *malloc(std::size_t size) { return std::malloc(size); }
    static void free(void *p) { std::free(p); }
};

template <class T, class Traits = DefaultTraits> class Queue {
    struct Block {
        alignas(T) char room[sizeof(T)];
        Block *next;
    };
    struct Index {
        int used;
    };

    template <class U> static void *raw(std::size_t size) { return (Traits::malloc)(size); }
    template <class U> static U *create()
    {
        void *p = raw<U>(sizeof(U));
        return p != nullptr ? new (p) U() : nullptr;
    }

public:
    Block *head = ((void)::numafy::enter(this), create<Block>());
    Index *index = nullptr;
    bool failed = false;

    void grow()
    {
        Block *fresh = ((void)::numafy::enter(this), create<Block>());
        fresh->next = head;
        head = fresh;
        auto bytes = static_cast<char *>(((void)::numafy::enter(this), (Traits::malloc)(sizeof(Index))));
        index = new (bytes) Index{1};
    }
    T *push(const T &value)
    { NUMAFY_SCOPE(this);
        failed = !IS_NOEXCEPT(new (static_cast<T *>(nullptr)) T(value));
        return new (static_cast<void *>(head->room)) T(value);
    }
    void drop(T *value)
    {
        value->~T();
        (Traits::free)(index);
        for (Block *next; head; head = next) {
            next = head->next;
            (Traits::free)(head);
        }
    }
};

struct Item {
    char tag = 0;
    Item *next = nullptr;
};
struct List {
    Item *first = nullptr;
    std::unique_ptr<Item> spare;

    const char *parse(const char *p);
    void fill();
};

static const char *parse_item(const char *p, Item **out)
{
    Item *item =  ::new (::numafy::near(out)) Item;
    item->tag = *p;
    *out = item;
    return p + 1;
}
const char *List::parse(const char *p)
{
    Item *item;
    p = ((void)::numafy::enter(this), ::numafy::leave(parse_item(p, &item)));
    item->next = first;
    first = item;
    return p;
}

struct Maker {
    static std::unique_ptr<Item> make() { return std::unique_ptr<Item>(new Item); }
};
void List::fill()
{
    std::unique_ptr<Item> item = ((void)::numafy::enter(this), ::numafy::leave(Maker::make()));
    spare = std::move(item);
}

int main()
{
    auto *queue = new numa<Queue<std::string>, 1>();
    queue->grow();
    std::string *text = queue->push("a string that is too long for the object itself");
    CHECK_NODE(queue->head, 1);
    CHECK_NODE(queue->head->next, 1);
    CHECK_NODE(queue->index, 1);
    CHECK_NODE(text->data(), 1);
    List *list = new numa<List, 1>();
    const char *rest = list->parse("ab");
    list->fill();
    CHECK_NODE(list->first, 1);
    CHECK_NODE(list->spare.get(), 1);
    std::printf("%zu %s %c %d line %d\n", text->size(), rest, list->first->tag, queue->failed,
                __LINE__);
    queue->drop(text);
}
