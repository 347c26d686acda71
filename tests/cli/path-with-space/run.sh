# SPDX-License-Identifier: Apache-2.0
# Both commands in a fresh copy of the tree in a folder with a space in its name: everything is built there from nothing, not
# optimised, which takes a third of the time.
export BUILD_TYPE=Debug OPT=-O0
mkdir 'a copy'
cd "$ROOT"
tar -cf - --exclude=./build --exclude='./build-*' --exclude=./.git --exclude='./Output/*/*' . | tar -C "$WORK/a copy" -xf -
cd "$WORK/a copy"
scripts/demo --no-vm 2>&1
echo "status $?"
scripts/test --only unit_tool_ --only unit_runtime_forms_lib unit 2>&1
echo "status $?"
ls build/bin/numafy-rewrite
