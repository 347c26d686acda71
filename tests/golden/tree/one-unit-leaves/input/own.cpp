#include <cstdlib>
namespace own_ns {
struct Own {
    int v = 2;
    static void *operator new(std::size_t n) { return std::malloc(n); }
    static void operator delete(void *p) { std::free(p); }
};
typedef Own Thing;
#include "make.hpp"
} // namespace own_ns

int own()
{
    own_ns::Holder holder;
    holder.make();
    int v = holder.thing->v;
    delete holder.thing;
    return v;
}
