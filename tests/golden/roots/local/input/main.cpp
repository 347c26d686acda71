// Local objects, by NUMA(k) and by --root: automatic until the end of the block, static and thread_local for ever.
#include "check.h"
#include "numa_alloc.h"

struct Item {
    int value;
};
struct Holder {
    Item *item = nullptr;
    void fill(int value) { item = new Item{value}; }
};

/* What the constructor of a local allocates is there, too, and nothing behind it. */
struct Built {
    Item *item;
    explicit Built(int value) : item(new Item{value})
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
    Built built NUMA(1)(value);
    CHECK_NODE(built.item, 1);
    Item *later = new Item{value};
    CHECK_NODE(later, -1);
    delete later;
    return built.item->value;
}

static int work(int value)
{
    static Holder kept;
    thread_local Holder per_thread;
    if (!kept.item)
        kept.fill(value);
    if (!per_thread.item)
        per_thread.fill(value);
    CHECK_NODE(kept.item, 3);
    CHECK_NODE(per_thread.item, 4);
    int sum = kept.item->value + per_thread.item->value;
    for (int i = 0; i < 2; i++) {
        Holder a NUMA(1), b NUMA(2); /* two of one declaration */
        a.fill(i);
        b.fill(i);
        CHECK_NODE(a.item, 1);
        CHECK_NODE(b.item, 2);
        sum += a.item->value + b.item->value;
        delete a.item;
        delete b.item;
    }
    auto in_lambda = [&] {
        Holder inner NUMA(6);
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
    Item *table[3];
    for (Item *&item : table)
        item = nullptr;
    table[1] = new Item{9};
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
