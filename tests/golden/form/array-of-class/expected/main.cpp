// O01 P90: Arrays of a class with a constructor and a destructor: count, order and node.
#include "check.h"
#include "numa_alloc.h"
#include <string>
#include "numafy/near.h"
#line 5

static int live;

struct Cell {
    Cell() : name("a name that is longer than the small buffer"), serial(live++) {}
    ~Cell() { live--; }
    Cell(const Cell &) = delete;
    std::string name;
    int serial;
};

struct Grid {
    Cell *cells = nullptr;
    void make(int n) { cells =  ::numafy::done( ::new (::numafy::near(this).ctor()) Cell[n]); }
    void drop()
    {
        delete[] cells;
        cells = nullptr;
    }
};

int main()
{
    Grid *grid = new numa<Grid, 1>();
    grid->make(7);
    CHECK_NODE(grid->cells, 1);
    CHECK_NODE(&grid->cells[6], 1);
    CHECK_NODE(grid->cells[6].name.data(), 1);
    std::printf("%d %d %d\n", live, grid->cells[0].serial, grid->cells[6].serial);
    grid->drop();
    std::printf("%d\n", live);
}
