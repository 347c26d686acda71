# SPDX-License-Identifier: Apache-2.0
# On one CPU: the collector, and programs whose threads wait for each other.
taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" \
    "$ROOT/scripts/test" --only unit_runtime_c --only unit_tool_ unit 2>&1
echo "status $?"
