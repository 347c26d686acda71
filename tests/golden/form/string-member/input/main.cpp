// A construction that may allocate: done() puts the string's bytes on the object's node, and only those.
#include "check.h"
#include "numa_alloc.h"
#include <string>
#include <vector>

struct Person {
    Person(const char *n, int a) : name(n), age(a) {}
    std::string name;
    int age;
};
struct Quiet {
    Quiet() : x(1), y(2) {}
    int x, y;
};
struct Group {
    std::vector<int> marks{1, 2, 3};
    Quiet quiet;
};
struct Club {
    Person *chair = nullptr;
    Group *group = nullptr;
    Quiet *quiet = nullptr;
    Person *many = nullptr;
    void found()
    {
        chair = new Person("somebody with a very long name indeed", 50);
        group = new Group;
        quiet = new Quiet;
        many = new Person[2]{{"the first of two people with long names", 1}, {"the second one, with a longer name", 2}};
    }
};

int main()
{
    Club *club = new numa<Club, 1>();
    club->found();
    std::string after = "made after the scope of done() has ended, on the heap";
    CHECK_NODE(club->chair->name.data(), 1);
    CHECK_NODE(club->group->marks.data(), 1);
    CHECK_NODE(club->quiet, 1);
    CHECK_NODE(club->many[1].name.data(), 1);
    CHECK_NODE(after.data(), -1);
    std::printf("%s %d %d %s\n", club->chair->name.c_str(), club->group->marks[2], club->quiet->y,
                club->many[1].name.c_str());
}
