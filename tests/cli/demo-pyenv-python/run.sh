# SPDX-License-Identifier: Apache-2.0
# Whatever python3 is first on PATH: here one that sees the standard library alone.
mkdir bin
printf '#!/bin/sh\nexec "%s" -I -S "$@"\n' "$PYTHON" >bin/python3
chmod +x bin/python3
PATH=$WORK/bin:$PATH "$ROOT/scripts/demo" --no-vm 2>&1
echo "status $?"
