// `new T` where a class with its own operator new is an argument of some template: T might be that class.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

static int calls;
struct Pooled {
    int v = 2;
    static void *operator new(std::size_t size) { calls++; return ::operator new(size); }
    static void operator delete(void *p) { calls++; ::operator delete(p); }
};
struct Plain {
    int v = 3;
};
template <class B> struct Mixin : B {
    int more = 1;
};
template <class T> struct List {
    T *first = nullptr;
    Mixin<T> *mixed = nullptr;
    List *next = nullptr;
    void add()
    {
        first = new T();
        mixed = new Mixin<T>;
        next =  ::new (::numafy::near(this)) List;
        delete first;
        first =  ::numafy::done( ::new (::numafy::near(this).ctor()) T());
        ::delete first;
        delete mixed;
        delete next;
    }
};
template <class T> int deduced(T *p, List<T> *list)
{
    list->first = new T(*p);
    int v = list->first->v;
    delete list->first;
    return v;
}

int main()
{
    auto *plain = new numa<List<Plain>, 1>();
    plain->add();
    List<Pooled> pooled;
    pooled.add();
    Pooled one;
    std::printf("%d %d\n", deduced(&one, &pooled), calls);
}
