// A program that replaces the global operator new: none of its sites is edited, in no unit.
#include <cstdlib>
#include <new>

static int allocations;

int allocated()
{
    return allocations;
}

void *operator new(std::size_t size)
{
    allocations++;
    void *p = std::malloc(size);
    if (p == nullptr)
        throw std::bad_alloc();
    return p;
}

void operator delete(void *p) noexcept
{
    std::free(p);
}

void operator delete(void *p, std::size_t) noexcept
{
    std::free(p);
}
