# SPDX-License-Identifier: Apache-2.0
# The control of scripts/trees: without any edit a root is registered, and its construction makes
# nothing on the node.
mkdir tree
cat >tree/main.cpp <<'END'
struct Node { Node *next; };
struct List {
    Node *head;
    List() : head(new Node()) {}
    void add() { head->next = new Node(); }
};
int main()
{
    List list;
    list.add();
    return list.head->next == nullptr;
}
END
echo '[{"directory": "'"$PWD"'/tree", "file": "main.cpp", "arguments": ["c++", "-c", "main.cpp"]}]' \
    >tree/compile_commands.json
"$TOOL" tree --diff --root main::list=1 2>/dev/null | grep -c '^+.*\(NUMAFY_ROOT_BEGIN\|near(this)\)'
NUMAFY_TEST_LEAVE='*' "$TOOL" tree --diff --root main::list=1 2>/dev/null | grep NUMAFY
