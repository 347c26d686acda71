# SPDX-License-Identifier: Apache-2.0
# A tree with a recursion of owners, for the listing of types. To be sourced after tree.sh.

# shop_make DIR: Shop owns Shelves, they own Items and a name; a registry is left, a Note is allocated by nobody.
shop_make() {
    mkdir -p "$1"
    cat >"$1/shop.cpp" <<'END'
namespace db
{
struct Item {
    Item *next;
};
struct Shelf {
    Item *first;
    char *name;
    void fill()
    {
        first = new Item{first};
        name = new char[8];
    }
};
struct Note {
    int text;
};
struct Sign {
    Note *note;
};
} // namespace db
struct Counter {
    db::Item *item = nullptr;
    void count() { item = new db::Item{item}; }
};
struct Shop {
    Counter counter;
    db::Shelf *shelf = nullptr;
    void open() { shelf = new db::Shelf{}; }
};
struct Registry {
    Registry *next;
};
static Registry *registry;
Shop *pick(int &n);

int main()
{
    Shop *shop = new Shop;
    int n = 0;
    shop->open();
    shop->shelf->fill();
    pick(n)->shelf = new db::Shelf{};
    registry = new Registry{registry};
}
END
    tree_database "$1" shop.cpp
}
