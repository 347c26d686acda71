# SPDX-License-Identifier: Apache-2.0
# scripts/test: an unknown layer, and the help.
"$ROOT/scripts/test" units
echo "status $?"
"$ROOT/scripts/test" --help
