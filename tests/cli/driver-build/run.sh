# SPDX-License-Identifier: Apache-2.0
# --build and --test run in the out tree with the wrappers as compilers; status 7 when one of them fails.
. "$HELPERS/tree.sh"
tree_make tree
numafy() {
    "$PYTHON" "$ROOT/scripts/numafy.py" tree -p tree-build --out out --place Item=1 "$@" >output 2>&1
    echo "status $?"
}
export NUMAFY_REWRITE="$TOOL"
numafy --build 'false'
grep -c 'false' output
numafy --build '$CXX -std=c++17 src/*.cpp -o program' --test './program | grep 9'
numafy --build '$CXX -std=c++17 src/*.cpp -o program' --test 'ldd program | grep -c numafy >linked; ./program >printed'
cat out/linked out/printed
ls tree
