# SPDX-License-Identifier: Apache-2.0
# P78: a header of the tree is edited although no unit is named after it; one that it includes from outside is not, and what
# it allocates is no site.
. "$HELPERS/tree.sh"
tree_make tree
mkdir outside
cat >outside/outer.hpp <<'END'
struct Outer {
    Outer *next = nullptr;
    void grow() { next = new Outer; }
};
END
cat >>tree/src/list.hpp <<'END'
#include "../../outside/outer.hpp"
struct Chain : Outer {
    Item *item = nullptr;
    void fill() { item = new Item{3, nullptr}; }
};
END
cp outside/outer.hpp saved
"$TOOL" tree -p tree-build --all --no-cache --out out --report report.json >/dev/null 2>&1
echo "status $?"
cmp outside/outer.hpp saved && echo 'outside: as it was'
[ -e out/outside ] || find . -name outer.hpp
grep -c '::new (::numafy::near(this)) Item{3, nullptr}' out/src/list.hpp
grep -c Outer report.json || :
