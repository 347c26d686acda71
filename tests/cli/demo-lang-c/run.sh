# SPDX-License-Identifier: Apache-2.0
# With LANG=C and an empty environment but for PATH and HOME.
env -i LANG=C LC_ALL=C HOME="$HOME" PATH="$PATH" "$ROOT/scripts/demo" --no-vm 2>&1
echo "status $?"
