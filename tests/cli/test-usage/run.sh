# SPDX-License-Identifier: Apache-2.0
# scripts/test: an unknown layer, --only without a name, and the help.
"$ROOT/scripts/test" units
echo "status $?"
"$ROOT/scripts/test" --only --no-vm
echo "status $?"
"$ROOT/scripts/test" --help
