# SPDX-License-Identifier: Apache-2.0
# Wrong groups, and the list.
"$ROOT/scripts/setup"
echo "status $?"
"$ROOT/scripts/setup" everything
echo "status $?"
"$ROOT/scripts/setup" --list demo
"$ROOT/scripts/setup" --list bench
