# SPDX-License-Identifier: Apache-2.0
# Where facts are kept, and that a folder which cannot be written or is no folder costs nothing but the parse. Two runs at
# once share one.
. "$HELPERS/tree.sh"
tree_make tree
sleep 0.1
run() { "$TOOL" tree -p tree-build --place Item=1 --verbose "$@" 2>&1 >stdout | grep 'from the cache'; }
run
ls .cache/numafy | grep -vc parser-
run
XDG_CACHE_HOME= HOME=$WORK/home run
ls home/.cache/numafy | grep -vc parser-
run --no-cache
echo 'a file' >file
run --cache file
run --cache file/below
run --cache both >1 &
run --cache both >2
wait
ls both | grep -vc parser-
run --cache both
