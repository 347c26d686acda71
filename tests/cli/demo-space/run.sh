# SPDX-License-Identifier: Apache-2.0
# The demo in a fresh copy of the project whose path has spaces: it configures, builds, rewrites and runs there.
set -eu
copy="$WORK/a fresh copy"
mkdir "$copy"
(cd "$ROOT" && tar -cf - --exclude='./build*' --exclude='./Output/*/' --exclude=./.git --exclude=./tests \
    --exclude=__pycache__ .) | tar -xf - -C "$copy"
"$copy/scripts/demo" --no-vm </dev/null
