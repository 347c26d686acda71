// A class's own class is made for it, though no member says so. What a method allocates that cannot name its owner belongs to
// the object that it is called for.
#include "check.h"
#include "numa_alloc.h"

struct Work {
    int value;
};

class Thread {
    struct Wrapper {
        int value;
    };
    template <class T> struct Typed {
        T value;
    };

public:
    void *opaque = nullptr, *typed = nullptr;
    void start(void *what) { opaque = what; }
    explicit Thread(int value)
    {
        auto wrapper = new Wrapper{value};
        start(wrapper);
        auto other = new Typed<int>{value};
        typed = other;
    }
    int end()
    {
        int value = static_cast<Wrapper *>(opaque)->value + static_cast<Typed<int> *>(typed)->value;
        delete static_cast<Wrapper *>(opaque);
        delete static_cast<Typed<int> *>(typed);
        return value;
    }
};

struct Pool {
    Work *last = nullptr;
    static Work *make(int value) { return new Work{value}; }
    Work *get(int value) { return last = make(value); }
};

struct Office {
    Pool pool, *other = nullptr;
    Thread *thread = nullptr;
};

static Work *work_of(Office *office)
{
    return office->pool.get(4);
}

int main()
{
    Office *office = new numa<Office, 1>();
    office->thread = new Thread(3);
    CHECK_NODE(office->thread->opaque, 1);
    CHECK_NODE(office->thread->typed, 1);
    Work *work = work_of(office);
    CHECK_NODE(work, 1);
    Pool mine NUMA(2);
    Work *own = mine.make(5);
    CHECK_NODE(own, 2);
    std::printf("%d %d %d %d\n", office->thread->end(), work->value, own->value, __LINE__);
    delete own;
    delete work;
    delete office->thread;
    delete static_cast<numa<Office, 1> *>(office);
}
