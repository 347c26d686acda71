// P11 P12: containers and strings that are members. Only a scope in the method reaches what they allocate.
#include "check.h"
#include "numa_alloc.h"
#include <deque>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
#include "numafy/near.h"
#line 11

static const char *const LONG = "a text that is too long to fit into the string object";

struct Record {
    std::string text;
    std::vector<int> numbers;
};

class Store
{
  public:
    void fill(int n)
    { NUMAFY_SCOPE(this); // the scope stands before this comment
        for (int i = 0; i < n; i++) {
            numbers.push_back(i);
            names.emplace_back(LONG);
            index[i] = LONG;
            hashed[i] += i;
            queue.push_front(i);
            chain.push_back(i);
            nested[i]["key"].push_back(LONG);
        }
        title = LONG;
    }
    int size() const { return static_cast<int>(numbers.size()); }
    const std::string &cached() const noexcept
    { NUMAFY_SCOPE(this);
        if (cache.empty())
            cache.assign(LONG);
        return cache;
    }
    Store &operator=(const Store &other)
    { NUMAFY_SCOPE(this);
        if (this != &other)
            title = other.title;
        return *this;
    }
    void keep(const Record &r) { NUMAFY_SCOPE(this); record = r; }
    void take(Record &&r) { NUMAFY_SCOPE(this); record = std::move(r); }
    void give(std::vector<int> &to) { numbers.swap(to); }
    void locals_only()
    {
        std::string s = LONG;
        s += LONG;
        length = s.size();
    }

    std::vector<int> numbers;
    std::vector<std::string> names;
    std::map<int, std::string> index;
    std::unordered_map<int, int> hashed;
    std::deque<int> queue;
    std::list<int> chain;
    std::map<int, std::map<std::string, std::vector<std::string>>> nested;
    std::string title;
    mutable std::string cache;
    Record record;
    std::size_t length = 0;
};

// Counts blocks on the node and off it.
static int on, off;
static void count(const void *p)
{
#ifdef NUMAFY_CHECK_PLACEMENT
    (golden_node_of(p) == 1 ? on : off)++;
#else
    (void)p;
    on++;
#endif
}

int main()
{
    Store *store = new numa<Store, 1>();
    store->fill(100);
    CHECK_NODE(store->numbers.data(), 1);
    CHECK_NODE(store->names[3].data(), 1);
    CHECK_NODE(&store->index[7], 1);
    CHECK_NODE(store->index[7].data(), 1);
    CHECK_NODE(&store->hashed[7], 1);
    CHECK_NODE(&store->queue[7], 1);
    CHECK_NODE(&store->chain.back(), 1);
    CHECK_NODE(store->nested[5]["key"][0].data(), 1);
    CHECK_NODE(store->title.data(), 1);
    CHECK_NODE(store->cached().data(), 1);

    Record r{LONG, {1, 2, 3}};
    CHECK_NODE(r.text.data(), -1);
    store->keep(r);
    CHECK_NODE(store->record.text.data(), 1);
    CHECK_NODE(store->record.numbers.data(), 1);
    store->take(std::move(r)); // the block moves with what it is in
    CHECK_NODE(store->record.text.data(), -1);

    Store other;
    other.fill(100);
    CHECK_NODE(other.title.data(), -1);
    CHECK_NODE(&other.index[7], -1);
    *store = other;
    CHECK_NODE(store->title.data(), 1);
    store->locals_only();

    for (const std::string &s : store->names)
        count(s.data());
    for (const auto &p : store->index)
        count(&p), count(p.second.data());
    for (const auto &p : store->nested)
        for (const auto &q : p.second)
            count(&p), count(&q), count(q.second.data()), count(q.second[0].data());
    for (int &i : store->chain)
        count(&i);
    std::vector<int> taken;
    store->give(taken);
    std::printf("%d %d %d %zu %s line %d\n", on * 100 >= 95 * (on + off), store->size(), store->hashed[9],
                store->length, store->cached().c_str(), __LINE__);
}
