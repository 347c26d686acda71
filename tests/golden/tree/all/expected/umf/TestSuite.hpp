#include "numafy/near.h"
#line 1
struct Program {
    List *list = nullptr;
    void start() { list =  ::new (::numafy::near(this)) List; }
};
