// A constructor that throws: the block goes back, and the node does not stay ambient.
#include "check.h"
#include "numa_alloc.h"
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
struct Owner {
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
