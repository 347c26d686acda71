# SPDX-License-Identifier: Apache-2.0
# Small trees with a compile database, for cases of the rewriter. To be sourced in the case's work folder.

# tree_make DIR: a tree of three units and a header. list.cpp and main.cpp have a site of Item each, README is no source.
tree_make() {
    mkdir -p "$1/src"
    cat >"$1/src/list.hpp" <<'END'
#pragma once
struct Item {
    int value;
    Item *next;
};
struct List {
    Item *head = nullptr;
    void push(int value);
};
END
    cat >"$1/src/list.cpp" <<'END'
#include "list.hpp"

void List::push(int value)
{
    head = new Item{value, head};
}
END
    cat >"$1/src/main.cpp" <<'END'
#include "list.hpp"
#include <cstdio>

int main()
{
    List list;
    list.push(1);
    list.head->next = new Item{2, nullptr};
    std::printf("%d %d\n", list.head->value, list.head->next->value);
}
END
    cat >"$1/src/other.cpp" <<'END'
int other();
int other()
{
    return 1;
}
END
    echo 'a text' >"$1/README"
    tree_database "$1" src/list.cpp src/main.cpp src/other.cpp
}

# tree_database DIR SOURCE...: writes DIR-build/compile_commands.json.
tree_database() {
    database_of=$1
    shift
    mkdir -p "$database_of-build"
    {
        separator='['
        for source; do
            printf '%s{"directory": "%s", "file": "%s", "arguments": ["c++", "-std=c++17", "-c", "%s"]}' \
                "$separator" "$(realpath "$database_of")" "$source" "$source"
            separator=','
        done
        echo ']'
    } >"$database_of-build/compile_commands.json"
}

# tree_break DIR: src/other.cpp no longer parses.
tree_break() {
    echo 'int broken(' >>"$1/src/other.cpp"
}

# What is in a folder, for comparisons: names and checksums, without our own .numafy.
tree_list() {
    (cd "$1" && find . -path ./.numafy -prune -o ! -type d -print | LC_ALL=C sort | xargs -d '\n' cksum)
}
