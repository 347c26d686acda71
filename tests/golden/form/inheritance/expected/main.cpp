// A site in a base class's method, and one of a derived class through the base's pointer.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Shape {
    virtual ~Shape() = default;
    virtual int area() const = 0;
};
struct Square : Shape {
    explicit Square(int s) : side(s) {}
    int area() const override { return side * side; }
    int side;
};
struct Link {
    Shape *shape;
    Link *next;
};
class List
{
  protected:
    void push(Shape *shape) { head =  ::new (::numafy::near(this)) Link{shape, head}; }

  public:
    Link *head = nullptr;
};
class Drawing : public List
{
  public:
    void square(int side) { push( ::new (::numafy::near(this)) Square(side)); }
};

int main()
{
    Drawing *drawing = new numa<Drawing, 1>();
    drawing->square(2);
    drawing->square(3);
    int sum = 0;
    for (Link *l = drawing->head; l != nullptr; l = l->next) {
        CHECK_NODE(l, 1);
        CHECK_NODE(l->shape, 1);
        sum += l->shape->area();
    }
    std::printf("%d\n", sum);
}
