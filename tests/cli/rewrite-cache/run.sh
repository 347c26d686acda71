# SPDX-License-Identifier: Apache-2.0
# What a rerun parses again: nothing if all is as it was, else the units that a change can reach and no other. Every run
# into an out tree of its own gives the same bytes as a run without a cache.
. "$HELPERS/tree.sh"
tree_make tree
mkdir tree/late tree/early
mv tree/src/list.hpp tree/late/
sed -i 's/"list.hpp"/<list.hpp>/' tree/src/*.cpp
sed -i '1i #if __has_include(<extra.hpp>)\n#include <extra.hpp>\n#endif' tree/src/other.cpp
tree_database tree src/list.cpp src/main.cpp src/other.cpp
echo '#pragma once' >tree/late/pre.hpp
flags() { sed -i "s@\"-std=c++17\",@\"-std=c++17\", \"-Iearly\", \"-Ilate\", \"-include\", \"pre.hpp\",$1@g" tree-build/compile_commands.json; }
flags
# run WHAT [OPTION...]: status, how many of three units came from the cache, and whether a run without one does the same.
run() {
    what=$1
    shift
    sleep 0.1 # a file that changed within the clock's step is not trusted
    "$TOOL" tree -p tree-build --cache cache --verbose --out out "$@" >stdout 2>stderr
    echo "$what: status $?, $(sed -n 's/^numafy: 3 units, \(.\) of them from the cache$/\1/p' stderr) known"
    tree_list out >1
    rm -r out
    "$TOOL" tree -p tree-build --no-cache --verbose --out out "$@" >plain.stdout 2>plain.stderr
    tree_list out | cmp - 1
    cmp stdout plain.stdout
    rm -r out
}
run 'first' --place Item=1
run 'unchanged' --place Item=1
run 'other placement' --place List=0
touch tree/late/list.hpp tree/src/*.cpp
run 'touched' --place Item=1
cp -r tree/late copy && rm -r tree/late && mv copy tree/late
run 'copied' --place Item=1
echo '// more' >>tree/late/list.hpp
run 'changed header' --place Item=1
sed 's/Item \*next;/Item *next; int more;/' tree/late/list.hpp >tree/early/list.hpp
run 'new header earlier in the search path' --place Item=1
rm tree/early/list.hpp
run 'gone again' --place Item=1
echo '#define EXTRA' >tree/late/extra.hpp
run 'what __has_include asked for' --place Item=1
echo '#define EXTRA' >tree/pre.hpp
run 'what -include looks for first' --place Item=1
printf 'gpch, not for this compiler' >tree/pre.hpp.gch
run 'a precompiled header beside it' --place Item=1
run 'still there' --place Item=1
rm tree/pre.hpp*
flags '"-DFLAG",'
run 'changed flag' --place Item=1
(export CPATH=/nowhere; run 'changed environment' --place Item=1)
(export NUMAFY_TEST_HIDE_SITE=5; run 'test control' --place Item=1)
run 'all back' --place Item=1
for entry in cache/*; do
    printf "\377" | dd of="$entry" bs=1 seek=200 count=1 conv=notrunc 2>/dev/null
done
run 'one byte of every entry changed' --place Item=1
run 'and written again' --place Item=1
for entry in cache/*; do
    : >"$entry"
done
run 'emptied entries' --place Item=1
tree_break tree
run 'a unit that fails' --place Item=1
run 'is parsed again' --place Item=1
