// An element that is put into a container belongs to the container's object, not to whoever puts it there.
#include "check.h"
#include "numa_alloc.h"
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stack>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>
#include "numafy/near.h"
#line 13

struct X {
    int v;
};
struct Chain { // of the program's own
    X *items[4] = {};
    int count = 0;
    void push_back(X *x) { items[count++] = x; }
};
struct Store {
    std::vector<X *> vector;
    std::vector<std::unique_ptr<X>> owning;
    std::map<int, X *> map;
    std::list<std::pair<int, X *>> pairs;
    std::stack<X *> stack;
    std::pair<X *, X *> pair{ ::new (::numafy::near(this)) X{1}, nullptr};
    std::tuple<int, X *> tuple;
    std::variant<int, X *> variant;
    std::optional<X *> optional;
    Chain chain;
};
struct Other { // reaches X as well, and must not be taken for the owner
    X *spare = nullptr;
    X *last = nullptr;
    void fill(Store *store, Chain *chain, std::vector<X *> &free)
    { NUMAFY_SCOPE(store);
        store->vector.push_back( ::new (::numafy::near(store)) X{2});
        store->vector.emplace_back(last =  ::new (::numafy::near(this)) X{3});
        store->owning.emplace_back( ::new (::numafy::near(store)) X{4});
        store->owning.push_back(std::unique_ptr<X>( ::new (::numafy::near(store)) X{5}));
        store->map.insert({1,  ::new (::numafy::near(store)) X{6}});
        store->map.insert(std::make_pair(2,  ::new (::numafy::near(store)) X{7}));
        store->map.emplace(3,  ::new (::numafy::near(store)) X{8});
        store->map[4] =  ::new (::numafy::near(store)) X{9};
        store->pairs.push_front(std::pair<int, X *>(1,  ::new (::numafy::near(store)) X{10}));
        store->stack.push( ::new (::numafy::near(store)) X{11});
        store->pair.second =  ::new (::numafy::near(store)) X{12};
        store->tuple = std::make_tuple(1,  ::new (::numafy::near(store)) X{13});
        store->variant =  ::new (::numafy::near(store)) X{14};
        store->optional =  ::new (::numafy::near(store)) X{15};
        store->chain.push_back( ::new (::numafy::near(store)) X{16});
        chain->push_back( ::new (::numafy::near(chain)) X{17});
        ((void)::numafy::enter(&free), free.push_back( ::new (::numafy::near(&free)) X{18}));
        std::vector<X *> local;
        local.push_back( ::new (::numafy::near(this)) X{19});
        spare = local[0];
    }
};
static std::vector<X *> global;

int main()
{
    Store *store = new numa<Store, 1>();
    Other *other = new numa<Other, 2>();
    Chain *chain = new numa<Chain, 3>();
    struct Free {
        std::vector<X *> list;
    } *free = new numa<Free, 2>();
    other->fill(store, chain, free->list);
    ((void)::numafy::enter(&global), global.push_back(new X{20}));
    const X *ones[] = {store->vector[0], store->owning[0].get(), store->owning[1].get(), store->map[1], store->map[2],
                       store->map[3], store->map[4], store->pairs.front().second, store->stack.top(), store->pair.first,
                       store->pair.second, std::get<1>(store->tuple), std::get<1>(store->variant), *store->optional,
                       store->chain.items[0]};
    for (const X *x : ones) {
        CHECK_NODE(x, 1);
        std::printf("%d ", x->v);
    }
    CHECK_NODE(other->last, 2);
    CHECK_NODE(other->spare, 2);
    CHECK_NODE(free->list[0], 2);
    CHECK_NODE(chain->items[0], 3);
    CHECK_NODE(global[0], -1);
    std::printf("%d %d\n", chain->items[0]->v, global[0]->v);
}
