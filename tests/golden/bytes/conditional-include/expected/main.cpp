// The include goes after the last #include outside an #if, not after one that a configuration may skip.
#include "check.h"
#include "numafy/near.h"
#line 3

#if defined(NO_SUCH_SYSTEM)
#include <windows.h>
#endif

struct Node {
    Node *next = nullptr;
    void grow() { next =  ::new (::numafy::near(this)) Node; }
};

int main()
{
    Node first;
    first.grow();
    std::printf("%d\n", first.next != nullptr && __LINE__ == 17);
    delete first.next;
    return 0;
}
