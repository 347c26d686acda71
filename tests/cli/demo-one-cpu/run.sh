# SPDX-License-Identifier: Apache-2.0
# On one CPU.
taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$ROOT/scripts/demo" --no-vm 2>&1
echo "status $?"
