# SPDX-License-Identifier: Apache-2.0
# --links tells programs apart: only those with an operator new of their own are left alone. `own` links libboth.a, whose
# header-sharing unit the program `app` links as well; `plug` is a library that nothing links, so `own` may load it.
set -eu
. "$HELPERS/tree.sh"
mkdir t
for unit in app both plug; do
    printf 'struct Node { int v; };\nNode *%s() { return new Node; }\n' $unit >t/$unit.cpp
done
cat >t/own.cpp <<'C'
#include <cstdlib>
void *operator new(std::size_t n) { return std::malloc(n); }
void operator delete(void *p) noexcept { std::free(p); }
C
for unit in app both plug own; do
    printf '{"directory":"%s/t","file":"%s.cpp","command":"c++ -c %s.cpp"},' "$WORK" $unit $unit
done | sed 's/^/[/; s/,$/]/' >t/compile_commands.json
sites() {
    "$TOOL" t --place Node=1 --report r.json "$@" >/dev/null 2>&1
    "$PYTHON" -c 'import json
sites = [site for site in json.load(open("r.json"))["sites"] if site["type"] == "Node"]
print(*(site["file"] + " " + site["action"] for site in sites), sep=", ")'
}
link() { printf '{"directory":"%s/t","kind":"%s","output":"%s","inputs":["%s"]}' "$WORK" "$@"; }
echo "no links: $(sites)"
echo "[$(link program app 'app.o","both.o')]" >l
echo "own is in no link, so it may be in any: $(sites --links l)"
echo "[$(link program app app.o), $(link program own 'own.o","libboth.a'), $(link archive libboth.a both.o), $(link shared p.so plug.o)]" >l
echo "two programs: $(sites --links l)"
echo "[$(link program app 'app.o","p.so'), $(link program own 'own.o","libboth.a'), $(link archive libboth.a both.o), $(link shared p.so plug.o)]" >l
echo "app links the plug-in: $(sites --links l)"
echo "[$(link shared own.so own.o), $(link program app 'app.o","both.o","plug.o')]" >l
echo "own is a library that nothing links: $(sites --links l)"
echo '[{"directory":"/"}]' >l
"$TOOL" t --links l || echo "status $?"
"$TOOL" t --links none || echo "status $?"
