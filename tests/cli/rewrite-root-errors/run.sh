# SPDX-License-Identifier: Apache-2.0
# Status 1: a --root that names no variable, or more than one; from numafy.json with its line.
. "$HELPERS/tree.sh"
tree_make tree
cat >>tree/src/other.cpp <<'END'
namespace a
{
static int *twin;
int use(int *given) { return twin == given; }
}
namespace b
{
static int *twin;
int use(int *given) { return twin == given; }
}
END
"$TOOL" tree -p tree-build --out out --root lst=0
echo "status $?"
"$TOOL" tree -p tree-build --out out --root twin=0
echo "status $?"
"$TOOL" tree -p tree-build --out out --root c::zqxjkvbw=0
echo "status $?"
"$TOOL" tree -p tree-build --out out --root main::list
echo "status $?"
printf '{"root": {"main::list": "1",\n "main::lists": "2"}}' >tree/numafy.json
"$TOOL" tree -p tree-build --out out
echo "status $?"
printf '{"root": {"main::list": "1"}}' >tree/numafy.json
"$TOOL" tree -p tree-build --out out --root nether.cpp:a::twin=0
echo "status $?"
"$TOOL" tree -p tree-build --out out --root main.cpp:a::twin=0
echo "status $?"
"$TOOL" tree -p tree-build --root src/other.cpp:a::twin=0 >/dev/null 2>&1
echo "status $?"
"$TOOL" tree -p tree-build --diff --root a::twin=2 2>/dev/null | grep NUMAFY_ROOT
ls
