// O25 P88: Arrays of fundamental types belong to somebody only by their destination. Members that are no allocation keep their types:
// no wrapper, whatever is done with them.
#include "check.h"
#include "numa_alloc.h"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include "numafy/near.h"
#line 10

struct Text {
    char *bytes = nullptr;
    int *counts = nullptr;
    void set(const char *s)
    {
        bytes =  ::new (::numafy::near(this)) char[std::strlen(s) + 1];
        std::strcpy(bytes, s);
        int *scratch = new int[8];
        scratch[7] = 1;
        CHECK_NODE(scratch, -1);
        delete[] scratch;
    }
};
struct Pair {
    Pair() : left( ::new (::numafy::near(this)) double[2]()), text() {}
    double *left;
    Text text;
};

struct Record { // what a wrapper with a conversion breaks
    int a;
    unsigned bits : 3;
    std::atomic<int> atomic;
    bool flag;
    enum { off, on } state;
    int (*function)(int);
    using number = long;
    number typedefed;
    const char *text;
};
static int twice(int v) { return 2 * v; }
static void use(Record *r)
{
    static_assert(sizeof(Record) == 48 && offsetof(Record, a) == 0 && std::is_same<decltype(r->a), int>::value, "");
    r->a = 1, r->bits = 2, r->atomic = 3, r->flag = true, r->state = Record::on, r->function = twice, r->text = "text";
    auto &reference = r->a;
    int *address = &r->a, copy;
    r->typedefed = r->flag ? r->a : 0;
    std::memcpy(&copy, &r->a, sizeof copy);
    reference += std::min(r->a, copy) + *address;
    std::printf("%d %u %d %d %d %ld %s\n", r->a, r->bits, r->atomic.load(), r->state, r->function(r->a), r->typedefed, r->text);
}

static void count(Text *text)
{
    text->counts =  ::new (::numafy::near(text)) int[4]();
}

int main()
{
    Record *record = new numa<Record, 1>();
    use(record);
    Pair *pair = new numa<Pair, 1>();
    pair->text.set("some text");
    count(&pair->text);
    CHECK_NODE(pair->left, 1);
    CHECK_NODE(pair->text.bytes, 1);
    CHECK_NODE(pair->text.counts, 1);
    std::printf("%s %.1f %d\n", pair->text.bytes, pair->left[1], pair->text.counts[3]);
}
