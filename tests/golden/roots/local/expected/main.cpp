// Local objects, by NUMA(k) and by --root: automatic until the end of the block, static and thread_local for ever.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Item {
    int value;
};
struct Holder {
    Item *item = nullptr;
    void fill(int value) { item =  ::new (::numafy::near(this)) Item{value}; }
};

/* What the constructor of a local allocates is there, too, and nothing behind it. */
struct Built {
    Item *item;
    explicit Built(int value) : item( ::new (::numafy::near(this)) Item{value})
    {
        if (value < 0) {
            delete item;
            throw value;
        }
    }
    ~Built() { delete item; }
};

static int build(int value)
{
    NUMAFY_ROOT_BEGIN(built, 1); Built built NUMA(1)(value); NUMAFY_ROOT_OBJECT(built, 1); NUMAFY_ROOT_MADE(built);
    CHECK_NODE(built.item, 1);
    Item *later = new Item{value};
    CHECK_NODE(later, -1);
    delete later;
    return built.item->value;
}

static int work(int value)
{
    static Holder kept; NUMAFY_ROOT_OBJECT(kept, 3);
    thread_local Holder per_thread; NUMAFY_ROOT_OBJECT(per_thread, 4);
    if (!kept.item)
        kept.fill(value);
    if (!per_thread.item)
        per_thread.fill(value);
    CHECK_NODE(kept.item, 3);
    CHECK_NODE(per_thread.item, 4);
    int sum = kept.item->value + per_thread.item->value;
    for (int i = 0; i < 2; i++) {
        Holder a NUMA(1), b NUMA(2); NUMAFY_ROOT_OBJECT(a, 1); NUMAFY_ROOT_OBJECT(b, 2); /* two of one declaration */
        a.fill(i);
        b.fill(i);
        CHECK_NODE(a.item, 1);
        CHECK_NODE(b.item, 2);
        sum += a.item->value + b.item->value;
        delete a.item;
        delete b.item;
    }
    auto in_lambda = [&] {
        NUMAFY_ROOT_BEGIN(inner, 6); Holder inner NUMA(6); NUMAFY_ROOT_OBJECT(inner, 6); NUMAFY_ROOT_MADE(inner);
        inner.fill(sum);
        CHECK_NODE(inner.item, 6);
        delete inner.item;
    };
    in_lambda();
    Holder plain;
    plain.fill(1);
    CHECK_NODE(plain.item, -1);
    delete plain.item;
    if (value == 2) {
        delete kept.item;
        delete per_thread.item;
    }
    return sum;
}

int main()
{
    Item *table[3]; NUMAFY_ROOT_OBJECT(table, 5);
    for (Item *&item : table)
        item = nullptr;
    table[1] =  ::new (::numafy::near(&table[1])) Item{9};
    CHECK_NODE(table[1], 5);
    int sum = table[1]->value;
    delete table[1];
    sum += work(1);
    sum += work(2);
    sum += build(3);
    try {
        build(-1);
    } catch (int) {
        Built plain(4);
        CHECK_NODE(plain.item, -1);
    }
    std::printf("%d %d\n", sum, __LINE__);
}
