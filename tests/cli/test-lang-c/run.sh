# SPDX-License-Identifier: Apache-2.0
# With LANG=C and an empty environment but for PATH and HOME.
env -i LANG=C LC_ALL=C HOME="$HOME" PATH="$PATH" TEST_LOGS="$WORK/logs" "$ROOT/scripts/test" --only unit_tool_ --only unit_runtime_env unit 2>&1
echo "status $?"
