// Nodes that are no number: local is the node of the CPU that runs the new, interleave deals pages round.
#include "check.h"

struct Near {
    int value;
};
struct Spread {
    int value;
};
struct Sealed final {
    int value;
};

int main()
{
    Near *near_it = new Near{1};
    Spread *spread = new Spread{2};
    Sealed *sealed = new Sealed{3};
    CHECK_POOL(near_it);
    CHECK_NODE(spread, -3);
    CHECK_NODE(sealed, -3);
    std::printf("%d %d %d\n", near_it->value, spread->value, sealed->value);
    delete near_it;
    delete spread;
    delete sealed;
}
