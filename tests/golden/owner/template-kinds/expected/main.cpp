// Templates of every kind: dependent types and member types, both arms of if constexpr, specialisations, packs, CRTP,
// aliases, friends, members of templates out of line, constraints.
#include "check.h"
#include "numa_alloc.h"
#include <concepts>
#include <initializer_list>
#include <type_traits>
#include "numafy/near.h"
#line 8

struct Small {
    int v = 1;
};
struct Big {
    int v = 2;
    long more[8] = {};
};
struct Traits {
    struct node {
        int v = 3;
    };
    using value = Big;
};
template <class T> concept HasV = requires(T t) { t.v; };

template <class T, class Tr = Traits> class Tree
{
  public:
    using node = typename Tr::node;
    template <class U> struct Cell {
        U value;
        Cell *next = nullptr;
    };
    T *item = nullptr;
    node *inner = nullptr;
    Cell<T> *cells = nullptr;
    typename Tr::value *value = nullptr;
    void fill();
    template <class U> U *add(U init);
    template <class... A> T *pack(A... a) { return item =  ::numafy::done( ::new (::numafy::near(this).ctor()) T{a...}); }
    T *constrained()
        requires HasV<T>
    {
        return item =  ::numafy::done( ::new (::numafy::near(this).ctor()) T);
    }
    T *arms()
    {
        if constexpr (sizeof(T) > 8)
            item =  ::numafy::done( ::new (::numafy::near(this).ctor()) T);
        else
            item =  ::numafy::done( ::new (::numafy::near(this).ctor()) T[2]);
        return item;
    }
    friend T *of(Tree &tree) { return tree.item =  ::numafy::done( ::new (::numafy::near(&tree).ctor()) T()); }
};
template <class T, class Tr> void Tree<T, Tr>::fill()
{
    inner =  ::numafy::done( ::new (::numafy::near(this).ctor()) typename Tr::node);
    value =  ::numafy::done( ::new (::numafy::near(this).ctor()) typename Tr::value{});
    cells =  ::numafy::done( ::new (::numafy::near(this).ctor()) Cell<T>{T{},  ::numafy::done( ::new (::numafy::near(this).ctor()) Cell<T>{})});
    item =  ::numafy::done( ::new (::numafy::near(this).ctor()) std::remove_cv_t<const T>);
}
template <class T, class Tr> template <class U> U *Tree<T, Tr>::add(U init)
{
    Cell<U> *cell =  ::numafy::done( ::new (::numafy::near(this).ctor()) Cell<U>{init});
    CHECK_NODE(cell, 1);
    U *u =  ::numafy::done( ::new (::numafy::near(this).ctor()) U(cell->value));
    delete cell;
    return u;
}
template <> struct Tree<char, Traits> {
    Small *small = nullptr;
    void fill() { small =  ::new (::numafy::near(this)) Small; }
};
template <class T> struct Tree<T *, Traits> {
    T **item = nullptr;
    void fill() { item =  ::new (::numafy::near(this)) T *(nullptr); }
};
template <class D> struct Base {
    Small *make() { return static_cast<D *>(this)->small =  ::new (::numafy::near(static_cast<D*>(this))) Small{4}; }
};
struct Derived : Base<Derived> {
    Small *small = nullptr;
};
template <class T> using Alias = Tree<T>;
template <class T, std::size_t N> void fill_array(T *(&slots)[N])
{
    for (T *&slot : slots)
        slot =  ::numafy::done( ::new (::numafy::near(&slot).ctor()) T);
}
struct Root {
    Tree<Small> small;
    Alias<Big> big;
    Tree<char> chars;
    Tree<int *> pointers;
    Derived derived;
    Small *array[2] = {};
};
template class Tree<Big>;

int main()
{
    Root *root = new numa<Root, 1>();
    root->small.fill();
    root->big.fill();
    root->chars.fill();
    root->pointers.fill();
    fill_array(root->array);
    for (const void *p : std::initializer_list<const void *>{
             root->small.item, root->small.inner, root->small.cells, root->small.cells->next, root->big.value,
             root->chars.small, root->pointers.item, root->derived.make(), root->array[1], root->small.arms(),
             root->big.arms(), root->big.pack(7), root->small.constrained(), of(root->big), root->small.add(Big()),
             root->big.add(Small{5})})
        CHECK_NODE(p, 1);
    std::printf("%d %d %d %d\n", root->small.inner->v, root->small.cells->value.v, root->derived.small->v, root->big.item->v);
}
