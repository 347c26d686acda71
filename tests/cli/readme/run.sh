# SPDX-License-Identifier: Apache-2.0
# The commands and programs that README.md, docs/cli.md and the suite's README show are taken from there and run, on a tree
# whose main program is README.md's first example. The demo itself and scripts/test have cases of their own: here it is only
# checked that these commands exist.
set -e
export NUMAFY_REWRITE="$TOOL" NUMAFY_QUIET=1 XDG_CACHE_HOME="$WORK/cache" PYTHONPATH="$ROOT"
block() {
    "$PYTHON" "$CASE/block.py" "$@"
}

# What is quiet when it works; when not, the case's output says why.
quietly() {
    "$@" >"$WORK/log" 2>&1 || {
        status=$?
        cat "$WORK/log"
        return "$status"
    }
}

# make_tree DIR: a CMake project; main() is the first example of README.md.
make_tree() {
    mkdir -p "$1"
    cat >"$1/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(shop CXX)
add_executable(shop main.cpp tree.cpp)
enable_testing()
add_test(NAME shop COMMAND shop)
END
    cat >"$1/tree.h" <<'END'
#pragma once
struct Node {
    const char *key;
    int value;
    Node *next;
};
class Tree {
  public:
    void insert(const char *key, int value);
    Node *first() const { return first_; }

  private:
    Node *first_ = nullptr;
};
END
    cat >"$1/tree.cpp" <<'END'
#include "tree.h"

void Tree::insert(const char *key, int value)
{
    first_ = new Node{key, value, first_};
}
END
    block "$ROOT/README.md" c++ 0 >example
    {
        grep '^#include' example
        echo '#include "tree.h"'
        echo '#include <cstdio>'
        echo 'int main() {'
        echo 'int value = 7;'
        grep -v '^#include' example
        echo 'std::printf("tree on %d, ", numafy_node_of(index));'
        echo 'std::printf("node on %d", numafy_node_of(index->first())); std::puts(""); }'
    } >"$1/main.cpp"
}

echo '# the two commands'
block "$ROOT/README.md" sh 0 | while read -r command _; do
    quietly "$ROOT/$command" --help
    echo "$command"
done

echo '# numafy.py, as README.md calls it'
ln -s "$ROOT/scripts" scripts
ln -s "$ROOT/runtime" runtime
make_tree path/to/tree
cp -R path/to/tree before
block "$ROOT/README.md" sh 1 >commands
quietly sh -e commands
diff -r before path/to/tree
path/to/copy/build/shop
grep -c '<h1>' report.html

echo '# numafy.py, as docs/cli.md calls it'
make_tree shop
block "$ROOT/docs/cli.md" sh 0 | sed "s|/tmp/shop|copy-of-shop|" >commands
quietly sh -e commands
copy-of-shop/build/shop
mkdir -p Output/data_structures
cp -R copy-of-shop/.numafy Output/data_structures
block "$ROOT/docs/cli.md" python 1 >program.py
"$PYTHON" program.py

echo '# the C program'
block "$ROOT/README.md" c 0 >program.c
block "$ROOT/README.md" sh 2 >commands
quietly sh -e commands
./program

echo '# the suite'
rm scripts runtime
mkdir copy
cp -R "$ROOT/suites" "$ROOT/runtime" copy
rm -rf copy/suites/*/bin copy/suites/*/obj
cd copy/suites/data_structures
block README.md sh 0 | sed 's/ -D 3 / -D 1 /' >commands
OPT=-O0 MAKEFLAGS=-j2 quietly sh -e commands
grep -c '^bst,numa,numa,2' "$WORK/log"
