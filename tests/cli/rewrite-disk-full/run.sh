# SPDX-License-Identifier: Apache-2.0
# Status 6: the disk is full half way. One line, and every file that is in the out tree by then is whole.
. "$HELPERS/tree.sh"
tree_make tree
"$TOOL" tree -p tree-build --out whole --place Item=1 >/dev/null
head -c 300000 /dev/zero >tree/big.bin
[ "$(id -u)" -eq 0 ] || { echo "only root can mount a small file system"; exit 77; }
unshare -m true 2>/dev/null || { echo "this container allows no mounts"; exit 77; }
unshare -m sh -c '
    mkdir small
    mount -t tmpfs -o size=64k tmpfs small || { echo "no tmpfs can be mounted"; exit 77; }
    "$TOOL" tree -p tree-build --out small/out --place Item=1 >/dev/null
    echo "status $?"
    cd small/out
    find . -type f ! -path "./.numafy/*" | while read -r file; do
        cmp "$file" "../../whole/$file" || echo "$file is not whole"
    done'
