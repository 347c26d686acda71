// A constructor that throws, of one object or of an array's element: the block goes back, and the node does not stay ambient.
#include "check.h"
#include "numa_alloc.h"
#include <new>
#include <stdexcept>
#include <string>

static int alive;

struct Name {
    Name() { alive++; }
    ~Name() { alive--; }
    std::string text = "a name that is longer than the small buffer of a string";
};
struct Fragile {
    explicit Fragile(bool fails)
    {
        if (fails)
            throw std::runtime_error("no");
    }
    Name name;
};
struct Third { // the third of an array fails
    Third()
    {
        if (alive == 3)
            throw 3;
    }
    Name name;
};
struct Owner {
    Third *thirds = nullptr;
    template <class T> int elements(int n)
    {
        int caught = 0;
        for (int i = 0; i < 3; i++) {
            try {
                if (i == 0)
                    thirds = new Third[5];
                else if (i == 1)
                    thirds = new (std::nothrow) Third[n];
                else
                    thirds = new T[n];
            } catch (int element) {
                caught += element;
            }
        }
        thirds = new Third[2];
        return caught;
    }
    Fragile *f = nullptr;
    Fragile *many = nullptr;
    bool one(bool fails)
    {
        try {
            f = new Fragile(fails);
        } catch (const std::exception &) {
            return false;
        }
        return true;
    }
    bool array()
    {
        try {
            many = new Fragile[3]{Fragile(false), Fragile(false), Fragile(true)};
        } catch (const std::exception &) {
            return false;
        }
        return true;
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    bool failed = owner->one(true), failed_array = owner->array();
    int elements = owner->elements<Third>(4);
    std::printf("elements %d alive %d\n", elements, alive);
    CHECK_NODE(owner->thirds, 1);
    CHECK_NODE(owner->thirds[1].name.text.data(), 1);
    delete[] owner->thirds;
    std::string after = "made after the throw, on the heap and not on the node";
    CHECK_NODE(after.data(), -1);
    std::printf("%d %d alive %d\n", failed, failed_array, alive);
    bool made = owner->one(false);
    CHECK_NODE(owner->f, 1);
    CHECK_NODE(owner->f->name.text.data(), 1);
    std::printf("%d alive %d\n", made, alive);
    delete owner->f;
    std::printf("alive %d\n", alive);
}
