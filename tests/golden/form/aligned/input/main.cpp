// Over-aligned types, one object and an array: the alignment holds on the node too.
#include "check.h"
#include "numa_alloc.h"
#include <cstdint>

struct alignas(64) Line {
    char bytes[64];
};
struct alignas(4096) Page {
    char bytes[4096];
};
struct Cache {
    Line *one = nullptr;
    Line *many = nullptr;
    Page *page = nullptr;
    void fill()
    {
        one = new Line;
        many = new Line[9];
        page = new Page;
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
    std::printf("%d %d %d\n", aligned(cache->one, 64), aligned(cache->many, 64), aligned(cache->page, 4096));
    delete cache->one;
    delete[] cache->many;
    delete cache->page;
}
