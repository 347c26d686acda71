// --place in constructors: member initialisers and the body.
#include "check.h"
#include "numafy/near.h"
#line 3

struct Page {
    char bytes[256];
};

struct Buffer {
    Buffer() : first( ::new (::numafy::numa<Page,2>::at) Page), all( ::new (::numafy::numa<Page,2>::at) Page[4]), last(nullptr)
    {
        last =  ::new (::numafy::numa<Page,2>::at) Page();
    }
    ~Buffer()
    {
        delete first;
        delete[] all;
        delete last;
    }
    Buffer(const Buffer &) = delete;
    Page *first;
    Page *all;
    Page *last;
};

int main()
{
    Buffer buffer;
    CHECK_NODE(buffer.first, 2);
    CHECK_NODE(buffer.all, 2);
    CHECK_NODE(buffer.last, 2);
    std::printf("%d\n", buffer.last->bytes[255]);
}
