# SPDX-License-Identifier: Apache-2.0
# Status 4: two units need different texts at one place. That place is left, the rest is done.
. "$HELPERS/tree.sh"
mkdir -p tree
cat >tree/make.hpp <<'END'
inline void *make()
{
    return new Thing{1};
}
END
cat >tree/a.cpp <<'END'
struct Open {
    int v;
};
typedef Open Thing;
#include "make.hpp"
Open *open_thing = new Open{2};
END
cat >tree/b.cpp <<'END'
struct Shut final {
    int v;
};
typedef Shut Thing;
#include "make.hpp"
END
tree_database tree a.cpp b.cpp
"$TOOL" tree -p tree-build --out out --place Open=1 --place Shut=1 >/dev/null
echo "status $?"
diff -rq tree out || true
