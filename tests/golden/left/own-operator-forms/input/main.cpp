// Operators of a class: inherited, from a macro, only a delete, only arrays; `::new` says itself that it means none.
#include "check.h"
#include "numa_alloc.h"

static int calls;
#define POOLED                                                                                                         \
    static void *operator new(std::size_t size) { calls++; return ::operator new(size); }                              \
    static void operator delete(void *p) { calls++; ::operator delete(p); }

struct FromMacro {
    POOLED
    int v = 1;
};
struct Base {
    virtual ~Base() {}
    static void *operator new(std::size_t size) { calls++; return ::operator new(size); }
    static void operator delete(void *p) { calls++; ::operator delete(p); }
};
struct Middle : Base {
};
struct Inherited : virtual Middle {
    int v = 2;
};
struct OnlyDelete {
    int v = 3;
    static void operator delete(void *p) { calls++; ::operator delete(p); }
};
struct OnlyArrays {
    int v = 4;
    static void *operator new[](std::size_t size) { calls++; return ::operator new(size); }
    static void operator delete[](void *p) { calls++; ::operator delete(p); }
};
struct Holder { // a member with operators of its own does not matter
    FromMacro inner;
};
struct Owner {
    FromMacro *macro = nullptr;
    Inherited *inherited = nullptr;
    OnlyDelete *deleted = nullptr;
    OnlyArrays *arrays = nullptr;
    FromMacro **pointers = nullptr;
    Holder *holder = nullptr;
    void fill()
    {
        macro = new FromMacro;
        inherited = new Inherited;
        deleted = new OnlyDelete;
        arrays = new OnlyArrays[2];
        pointers = new FromMacro *[2]{};
        holder = new Holder;
        std::printf("%d %d %d %d\n", macro->v, inherited->v, deleted->v, arrays->v);
        delete macro;
        delete inherited;
        delete deleted;
        delete[] arrays;
        macro = ::new FromMacro;
        CHECK_NODE(macro, 1);
        CHECK_NODE(pointers, 1);
        CHECK_NODE(holder, 1);
        ::delete macro;
        delete[] pointers;
        delete holder;
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    std::printf("%d\n", calls);
}
