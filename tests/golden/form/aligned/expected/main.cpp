// O04 P87: Over-aligned types, one object and an array, and alignments that the new-expression names, alone and with nothrow: they
// hold on the node too, and the block of a constructor that throws goes back.
#include "check.h"
#include "numa_alloc.h"
#include <cstdint>
#include <new>
#include "numafy/near.h"
#line 7

struct alignas(64) Line {
    char bytes[64];
};
struct alignas(4096) Page {
    char bytes[4096];
};
struct Item {
    Item(int value = 1) : v(value)
    {
        if (v == 9)
            throw v;
    }
    int v;
};
constexpr std::align_val_t large{512};
struct Cache {
    Line *one = nullptr;
    Line *many = nullptr;
    Page *page = nullptr;
    Item *items[6] = {};
    void fill()
    {
        one =  ::new (::numafy::near(this)) Line;
        many =  ::new (::numafy::near(this)) Line[9];
        page =  ::new (::numafy::near(this)) Page;
    }
    void named()
    {
        items[0] =  ::new (std::align_val_t(64), ::numafy::near(&items[0])) Item;
        items[1] =  ::new (std::align_val_t{128}, ::numafy::near(&items[1])) Item[3]{};
        items[2] =  ::new ( std::align_val_t(256), ::numafy::near(&items[2]), std::nothrow ) Item{2};
        items[3] =  ::new (large, ::numafy::near(&items[3]) /* 512 */) Item;
    }
    template <class T> void dependent()
    {
        items[4] =  ::numafy::done( ::new (large, ::numafy::near(&items[4]).ctor(), std::nothrow) T[2]);
        items[5] = new (std::nothrow) numa<Item, 2>(3);
    }
    int fails()
    {
        try {
            delete  ::new (large, ::numafy::near(this)) Item(9);
        } catch (int v) {
            return v;
        }
        return 0;
    }
};

static bool aligned(const void *p, std::uintptr_t to)
{
    return reinterpret_cast<std::uintptr_t>(p) % to == 0;
}

int main()
{
    Cache *cache = new numa<Cache, 1>();
    cache->fill();
    CHECK_NODE(cache->one, 1);
    CHECK_NODE(cache->many, 1);
    CHECK_NODE(cache->page, 1);
    cache->named();
    cache->dependent<Item>();
    std::uintptr_t to[] = {64, 128, 256, 512, 512, 4};
    for (int i = 0; i < 6; i++) {
        CHECK_NODE(cache->items[i], i == 5 ? 2 : 1);
        std::printf("%d %d, ", cache->items[i]->v, aligned(cache->items[i], to[i]));
    }
    std::printf("%d %d %d %d\n", aligned(cache->one, 64), aligned(cache->many, 64), aligned(cache->page, 4096), cache->fails());
    delete cache->one;
    delete[] cache->many;
    delete cache->page;
    ::operator delete(cache->items[0], std::align_val_t(64));
}
