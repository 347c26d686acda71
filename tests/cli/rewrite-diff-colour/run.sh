# SPDX-License-Identifier: Apache-2.0
# --diff is coloured on a terminal, not with NO_COLOR, and never in a pipe.
. "$HELPERS/tree.sh"
tree_make tree
cat >run.py <<'END'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
try:
    while chunk := os.read(terminal, 4096):
        text += chunk
except OSError:
    pass  # the end of a terminal
os.waitpid(pid, 0)
for line in text.decode().splitlines():
    if "::new" in line or "a/src/main" in line:
        print(line.replace("\x1b", "ESC"))
END
unset NO_COLOR
"$PYTHON" run.py "$TOOL" tree -p tree-build --diff --place Item=1
NO_COLOR=1 "$PYTHON" run.py "$TOOL" tree -p tree-build --diff --place Item=1
"$TOOL" tree -p tree-build --diff --place Item=1 2>/dev/null | grep -c "$(printf '\033')" || true
