// `new T` beside classes with operators of their own: as long as none of them is an argument of a template of the program, T
// is none of them.
#include "check.h"
#include "numa_alloc.h"
#include <memory>
#include <vector>
#include "numafy/near.h"
#line 7

struct Pooled {
    int v = 2;
    static void *operator new(std::size_t size) { return ::operator new(size); }
    static void operator delete(void *p) { ::operator delete(p); }
};
struct Plain {
    int v = 3;
};
template <class T> struct List {
    T *first = nullptr;
    List *next = nullptr;
    T *add()
    {
        first =  ::numafy::done( ::new (::numafy::near(this).ctor()) T());
        next =  ::new (::numafy::near(this)) List;
        return first;
    }
};
struct Owner {
    List<Plain> *list = nullptr;
    std::vector<Pooled *> pooled;
    std::unique_ptr<Pooled> one;
    void fill()
    {
        list =  ::new (::numafy::near(this)) List<Plain>;
        CHECK_NODE(list->add(), 1);
        CHECK_NODE(list->next, 1);
        one.reset(new Pooled);
        CHECK_NODE(one.get(), -1);
        std::printf("%d %d\n", list->first->v, static_cast<Pooled *>(one.get())->v);
        delete list->first;
        delete list->next;
        delete list;
    }
};

int main()
{
    std::unique_ptr<Owner> owner(new numa<Owner, 1>());
    owner->fill();
}
