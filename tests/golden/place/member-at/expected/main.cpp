// A member called `at` keeps its name in numa<T,k>: these are placed by on(k).
#include "check.h"

#include <vector>
#include "numafy/near.h"
#line 5

struct Row {
    int values[4] = {1, 2, 3, 4};
    int at(int i) const { return values[i]; }
};
struct LongRow : Row {
    int more = 5;
};
struct Numbers : std::vector<int> {
    using std::vector<int>::vector;
};
struct Plain {
    int att = 6;
};

int main()
{
    Row *row =  ::new (::numafy::on(1)) Row;
    LongRow *longer =  ::new (::numafy::on(1)) LongRow;
    Numbers *numbers =  ::numafy::done( ::new (::numafy::on(1).ctor()) Numbers(3, 7));
    Plain *plain =  ::new (::numafy::numa<Plain,1>::at) Plain;
    CHECK_NODE(row, 1);
    CHECK_NODE(longer, 1);
    CHECK_NODE(numbers, 1);
    CHECK_NODE(numbers->data(), 1);
    CHECK_NODE(plain, 1);
    std::printf("%d %d %d %d\n", row->at(0), longer->at(1), numbers->at(2), plain->att);
    delete row;
    delete longer;
    delete numbers;
    delete plain;
}
