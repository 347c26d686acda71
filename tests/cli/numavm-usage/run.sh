# SPDX-License-Identifier: Apache-2.0
# Wrong command lines: one line each and 125, before anything is started.
mkdir empty
exec 2>&1
try() {
    "$ROOT/scripts/numavm" "$@"
    echo "status $?"
}
try
try default empty
try 512 empty true
try 100:1 empty true
try 512:1,x empty true
try 2048:1,2048 empty true
try default missing true
try default /proc true
try -t 0 default empty true
try -D 0=1 default empty true
try -x missing default empty true
try -z default empty true
try -e
try --help | sed -n '1p;$p'
