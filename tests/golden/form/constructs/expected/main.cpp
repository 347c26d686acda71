// O18: Forms of the new-expression that form/spellings does not have: deduction, designators, bounds of several dimensions,
// typedefs of arrays, nothrow arrays, types that are computed, pointers to functions, enumerations.
#include "check.h"
#include "numa_alloc.h"
#include <cstddef>
#include <initializer_list>
#include <new>
#include "numafy/near.h"
#line 8

template <class T> struct Box {
    T value;
    explicit Box(T v) : value(v) {}
};
struct Point {
    int x = 0, y = 0;
    Point *next = nullptr;
};
enum class Colour : unsigned char { red = 3 };
enum Old { first = 4 };
typedef Point Row[3];
using Grid = Row[2];
using Function = int (*)(int);
static int twice(int v) { return 2 * v; }

struct Owner {
    Box<int> *box = nullptr;
    Box<Box<int>> *boxes = nullptr;
    Point *point = nullptr;
    Point (*row)[3] = nullptr;
    Point (*grid)[2][3] = nullptr;
    Colour *colour = nullptr;
    Old *old = nullptr;
    Function *function = nullptr;
    std::byte *bytes = nullptr;
    int (*numbers)[2] = nullptr;
    const Point *constant = nullptr;
    void fill(std::size_t n)
    {
        box =  ::numafy::done( ::new (::numafy::near(this).ctor()) Box(1));
        boxes =  ::numafy::done( ::new (::numafy::near(this).ctor()) Box<Box<int>>{Box{2}});
        point =  ::new (::numafy::near(this)) Point{.x = 3, .y = 4, .next =  ::new (::numafy::near(this)) Point{.x = 5}};
        row =  ::new (::numafy::near(this)) Row[n];
        grid =  ::new (::numafy::near(this)) Grid[2];
        colour =  ::new (::numafy::near(this)) Colour{Colour::red};
        old =  ::new (::numafy::near(this)) Old[]{first, first};
        function =  ::new (::numafy::near(this)) Function(twice);
        bytes =  ::new (::numafy::near(this)) std::byte[n]();
        numbers =  ::new (::numafy::near(this)) int[n][2]{{1, 2}, {3, 4}};
        constant =  ::new (::numafy::near(this)) Point const[2]{{.y = 6}, {}};
        sum();
        for (const void *p : std::initializer_list<const void *>{box, boxes, point, row, grid, colour, old, function, bytes, numbers,
                                                                 constant})
            CHECK_NODE(p, 1);
        release();
    }
    void again(std::size_t n)
    {
        box =  ::numafy::done( ::new (::numafy::near(this).ctor()) decltype(Box(1))(1));
        boxes =  ::numafy::done( ::new (::numafy::near(this).ctor()) (Box<Box<int>>)(Box{2}));
        point =  ::new (::numafy::near(this), std::nothrow) Point[n]{{.x = 3}};
        row =  ::new (::numafy::near(this), std::nothrow) Row[n]{};
        grid =  ::new (::numafy::near(this)) (Point[2][2][3]);
        colour =  ::new (::numafy::near(this)) auto(Colour::red);
        old =  ::new (::numafy::near(this)) enum Old[2]{first};
        function =  ::new (::numafy::near(this), std::nothrow) (int (*[2])(int)){twice};
        bytes =  ::new (::numafy::near(this)) std::byte[n]{};
        numbers =  ::new (::numafy::near(this)) int[2][2]{};
        constant =  ::new (::numafy::near(this)) const Point[1]{};
        sum();
        for (const void *p : std::initializer_list<const void *>{box, boxes, point, row, grid, colour, old, function, bytes, numbers,
                                                                 constant})
            CHECK_NODE(p, 1);
        release();
    }
    void sum()
    {
        std::printf("%d %d %d %d %d %d %d %d %d %d %d %d\n", box->value, boxes->value.value, point->x, point->y, row[0][2].x,
                    grid[1][1][2].y, static_cast<int>(*colour), old[0], function[0](21), static_cast<int>(bytes[0]),
                    numbers[1][1], constant->y);
    }
    void release()
    {
        delete box;
        delete boxes;
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill(2);
    owner->again(2);
}
