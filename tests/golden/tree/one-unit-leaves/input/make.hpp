// The same line belongs to a class with its own operator new in one unit: a left beats an edit.
#ifndef MAKE_HPP
#define MAKE_HPP
struct Holder {
    Thing *thing;
    void make() { thing = new Thing; }
};
#endif
