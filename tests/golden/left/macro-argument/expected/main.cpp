// P73: a macro's argument is edited where it is written, unless the macro makes text of it or repeats it at unlike places.
#include "check.h"
#include "numa_alloc.h"
#include <cassert>
#include <cstring>
#include "numafy/near.h"
#line 6

#define SAME(e) (e)
#define TEXT(e) ((e), #e)
#define TEXT_BELOW(e) TEXT(SAME(e))
#define REST_TEXT(first, ...) ((void)(first), #__VA_ARGS__)
#define TWICE(e) ((e), (e))
#define IN_LAMBDA(e) ((e), [] { return (e); }())
#define STATEMENT(code) do { code; } while (0)
#define OTHER_TEXT(e, label) ((e), #label)
#define CALL(macro, e) macro(e)

struct Node {
    int v = 1;
};
struct Owner {
    Node *a = nullptr, *b = nullptr;
    void edited()
    {
        STATEMENT(a =  ::new (::numafy::near(this)) Node{__LINE__});
        CHECK_NODE(a, 1);
        delete a;
        a = SAME(SAME( ::new (::numafy::near(this)) Node));
        CHECK_NODE(a, 1);
        delete a;
        const char *label = OTHER_TEXT(a =  ::new (::numafy::near(this)) Node, label);
        CHECK_NODE(a, 1);
        std::printf("%s %d\n", label, a->v);
        delete a;
        delete TWICE(b = a =  ::new (::numafy::near(this)) Node);
    }
    const char *left()
    {
        const char *text = TEXT(a = new Node);
        delete a;
        std::printf("%s\n", text);
        std::printf("%s\n", TEXT_BELOW(a = new Node));
        delete a;
        std::printf("%s\n", REST_TEXT(0, new Node));
        std::printf("%s\n", CALL(TEXT, a = new Node));
        delete a;
        a = nullptr;
        assert((a = new Node) != nullptr);
        delete a;
        Node *n = IN_LAMBDA(new Node);
        delete n;
        return text;
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->edited();
    std::printf("%zu\n", std::strlen(owner->left()));
}
