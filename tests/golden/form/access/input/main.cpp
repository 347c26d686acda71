// Private constructors with a friend and a factory, aggregates with designators, and const objects keep their exact type.
#include "check.h"
#include "numa_alloc.h"

class Secret
{
    friend struct Owner;
    Secret(int v) : value(v) {}
    int value;

  public:
    int get() const { return value; }
};
struct Options {
    int width = 1;
    int height = 2;
};
struct Owner {
    const Secret *secret = nullptr;
    Options *options = nullptr;
    void fill()
    {
        secret = new Secret(7);
        options = new Options{.width = 3};
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->secret, 1);
    CHECK_NODE(owner->options, 1);
    std::printf("%d %d %d\n", owner->secret->get(), owner->options->width, owner->options->height);
}
