// A library class without any class of the tree inside still allocates in its constructor.
#include "check.h"
#include "numa_alloc.h"
#include <string>
#include <utility>
#include <vector>
#include "numafy/near.h"
#line 7

struct Owner {
    std::string *name = nullptr;
    std::string *names = nullptr;
    std::vector<int> *numbers = nullptr;
    std::pair<int, int> *pair = nullptr;
    std::pair<int, std::string> *both = nullptr;
    void fill()
    {
        name =  ::numafy::done( ::new (::numafy::near(this).ctor()) std::string("a string that is too long for its object"));
        names =  ::numafy::done( ::new (::numafy::near(this).ctor()) std::string[2]{"another string that is too long", "x"});
        numbers =  ::numafy::done( ::new (::numafy::near(this).ctor()) std::vector<int>(3, 7));
        pair =  ::new (::numafy::near(this)) std::pair<int, int>(1, 2);
        both =  ::numafy::done( ::new (::numafy::near(this).ctor()) std::pair<int, std::string>(1, "the third string that is too long"));
        std::string *loose = new std::string("nobody's");
        delete loose;
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->name, 1);
    CHECK_NODE(owner->name->data(), 1);
    CHECK_NODE(owner->names[0].data(), 1);
    CHECK_NODE(owner->numbers->data(), 1);
    CHECK_NODE(owner->pair, 1);
    CHECK_NODE(owner->both->second.data(), 1);
    std::printf("%s %s %d %d\n", owner->name->c_str(), owner->names[1].c_str(), (*owner->numbers)[2], owner->pair->second);
}
