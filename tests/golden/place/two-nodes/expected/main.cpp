// O09: Two placed types on two nodes, given in both ways of the option; the members' own allocations follow by done().
#include "check.h"
#include <string>
#include <vector>
#include "numafy/near.h"
#line 5

struct Text {
    Text(const char *s) : value(s) {}
    std::string value;
};
struct Row {
    std::vector<int> cells = std::vector<int>(100, 7);
};

int main()
{
    Text *text =  ::numafy::done( ::new (::numafy::numa<Text,1>::at.ctor()) Text("a text that is too long for the small string buffer"));
    Row *row =  ::numafy::done( ::new (::numafy::numa<Row,2>::at.ctor()) Row);
    Row *rows =  ::numafy::done( ::new (::numafy::numa<Row,2>::at.ctor()) Row[3]);
    std::string plain = "another text that is too long for the small string buffer";
    CHECK_NODE(text, 1);
    CHECK_NODE(text->value.data(), 1);
    CHECK_NODE(row, 2);
    CHECK_NODE(row->cells.data(), 2);
    CHECK_NODE(rows[2].cells.data(), 2);
    CHECK_NODE(plain.data(), -1);
    std::printf("%s %d %d\n", text->value.c_str(), row->cells[99], rows[1].cells[0]);
    delete text;
    delete row;
    delete[] rows;
}
