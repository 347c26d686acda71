// Pointers that own, of the library's and of the program's own kind, with deleters, in functions, fields and containers: the
// pointee belongs to whoever holds the pointer.
#include "check.h"
#include "numa_alloc.h"
#include <memory>
#include <utility>
#include "numafy/near.h"
#line 7

struct X {
    explicit X(int n) : v(n) {}
    int v;
};
struct Deleter {
    void operator()(X *x) const { delete x; }
};
template <class T> class Own
{
  public:
    Own(T *p = nullptr) : raw(p) {}
    Own(const Own &) = delete;
    Own &operator=(const Own &) = delete;
    ~Own() { delete raw; }
    Own &operator=(T *p) { return reset(p), *this; }
    void reset(T *p)
    {
        delete raw;
        raw = p;
    }
    T *operator->() const { return raw; }
    T &operator*() const { return *raw; }

  private:
    T *raw;
};
class Derived : public Own<X>
{
  public:
    using Own<X>::Own;
};

struct Holder {
    std::shared_ptr<X> shared;
    std::unique_ptr<X, Deleter> deleted;
    std::unique_ptr<X, void (*)(X *)> function{ ::new (::numafy::near(this)) X(1), [](X *x) { delete x; }};
    std::shared_ptr<X> both;
    Own<X> own{ ::new (::numafy::near(this)) X(2)};
    Own<X> mine;
    Derived derived{nullptr};
    Holder *inner = nullptr;
    ~Holder() { delete inner; }
    void fill()
    { NUMAFY_SCOPE(this);
        shared = std::shared_ptr<X>( ::new (::numafy::near(this)) X(3));
        deleted = std::unique_ptr<X, Deleter>( ::new (::numafy::near(this)) X(4));
        both.reset( ::new (::numafy::near(this)) X(5), Deleter());
        mine =  ::new (::numafy::near(this)) X(6);
        derived.reset( ::new (::numafy::near(this)) X(7));
    }
    std::unique_ptr<X> made() { return std::unique_ptr<X>( ::new (::numafy::near(this)) X(8)); }
    std::unique_ptr<X> converted()
    {
        std::unique_ptr<X> local( ::new (::numafy::near(this)) X(9));
        return local;
    }
};
void from_outside(Holder &first, Holder *second)
{ NUMAFY_SCOPE(second);
    second->mine =  ::new (::numafy::near(second)) X(10);
    second->derived.reset( ::new (::numafy::near(second)) X(11));
    second->shared.reset( ::new (::numafy::near(second)) X(12));
    second->inner->own =  ::new (::numafy::near(second->inner)) X(13);
    first.own.reset( ::new (::numafy::near(&first)) X(14));
}

int main()
{
    std::unique_ptr<Holder> one(new numa<Holder, 1>()), two(new numa<Holder, 2>());
    one->fill();
    two->fill();
    two->inner =  ::numafy::done( ::new (::numafy::near(two.get()).ctor()) Holder);
    CHECK_NODE(&*one->own, 1);
    from_outside(*one, two.get());
    const X *of_one[] = {one->shared.get(), one->deleted.get(), one->function.get(), one->both.get(),
                         &*one->own,        &*one->mine,        &*one->derived};
    for (const X *x : of_one) {
        CHECK_NODE(x, 1);
        std::printf("%d ", x->v);
    }
    CHECK_NODE(&*two->mine, 2);
    CHECK_NODE(&*two->derived, 2);
    CHECK_NODE(two->shared.get(), 2);
    CHECK_NODE(two->inner, 2);
    CHECK_NODE(&*two->inner->own, 2);
    std::unique_ptr<X> made = one->made(), converted = two->converted();
    CHECK_NODE(made.get(), 1);
    CHECK_NODE(converted.get(), 2);
    std::printf("%d %d %d %d\n", two->mine->v, two->derived->v, made->v, converted->v);
}
