# SPDX-License-Identifier: Apache-2.0
# The guest passes on every exit status, the arguments and the environment, from a folder with a
# space in its path, with libraries beside the program, without a terminal or a home.
set -eu
if ! why=$("$ROOT/scripts/numavm" --check 2>&1); then
    echo "$why"
    exit 77
fi
NUMAVM_CACHE=${NUMAVM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/numafy/numavm}
export NUMAVM_CACHE
unset HOME XDG_CACHE_HOME || true

mkdir -p 'a folder/the libraries' results
cat >part.c <<'END'
int part(void);
int part(void) { return 42; }
END
cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int part(void);
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        printf("argument %d: %s\n", i, argv[i]);
    printf("one: %s\ntwo: %s\nthree: %s\n", getenv("ONE"), getenv("TWO"), getenv("THREE"));
    return part();
}
END
cc -shared -fPIC -o 'a folder/the libraries/libpart.so' part.c
cc -o 'a folder/program' program.c '-La folder/the libraries' -lpart '-Wl,-rpath,$ORIGIN/the libraries'

ended() { # ended STATUS: runs on, whatever the command before it said
    echo "status $1"
}
status=0
TWO=outside THREE=outside "$ROOT/scripts/numavm" -e "ONE=it's \$HOME" -e TWO \
    256:1 'a folder' ./program 'a  b' "'" '*' || status=$?
ended $status
status=0
"$ROOT/scripts/numavm" -o results 256:1 'a folder' \
    'cat; seq 1 9000 | md5sum; seq 1 9000; echo to the host >/out/file; echo last >&2' >output || status=$?
ended $status
head -n 1 output
sed -n '2,9001p' output | md5sum
tail -n 1 output
cat results/file
# Refused before it is copied, carried without it.
truncate -s 2G 'a folder/big'
status=0
"$ROOT/scripts/numavm" 256:1 'a folder' true 2>&1 || status=$?
ended $status
for expected in 1 255; do
    status=0
    "$ROOT/scripts/numavm" -X big 256:1 'a folder' "ls; exit $expected" </dev/null || status=$?
    ended $status
done
