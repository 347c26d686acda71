// Arrays of fundamental types belong to somebody only by their destination.
#include "check.h"
#include "numa_alloc.h"
#include <cstring>
#include "numafy/near.h"
#line 5

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

static void count(Text *text)
{
    text->counts =  ::new (::numafy::near(text)) int[4]();
}

int main()
{
    Pair *pair = new numa<Pair, 1>();
    pair->text.set("some text");
    count(&pair->text);
    CHECK_NODE(pair->left, 1);
    CHECK_NODE(pair->text.bytes, 1);
    CHECK_NODE(pair->text.counts, 1);
    std::printf("%s %.1f %d\n", pair->text.bytes, pair->left[1], pair->text.counts[3]);
}
