# SPDX-License-Identifier: Apache-2.0
# On a terminal: a bar that is redrawn, and the closing line alone on a line all the same.
command -v script >/dev/null || { echo "no script(1) to make a terminal"; exit 77; }
TERM=xterm script -q -e -c "'$ROOT/scripts/test' --only unit_tool_ unit" output </dev/null >/dev/null
echo "status $?"
grep -c "$(printf '\r\033')\[K\[[#.]*\] [0-9]*/[0-9]* programs" output >bars
[ "$(cat bars)" -gt 0 ] && echo 'a bar was drawn'
tr -d '\r' <output | sed "s/$(printf '\033')\[K//g" | grep -x '[0-9]* passed, 0 failed, 0 skipped' | wc -l
