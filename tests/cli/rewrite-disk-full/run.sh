# SPDX-License-Identifier: Apache-2.0
# Status 6: the disk is full half way. What was there before stays, no half file is left.
. "$HELPERS/tree.sh"
tree_make tree
[ "$(id -u)" -eq 0 ] || { echo "only root can mount a small file system"; exit 77; }
unshare -m sh -c '
    mkdir small
    mount -t tmpfs -o size=64k tmpfs small || { echo "no tmpfs can be mounted"; exit 77; }
    head -c 300000 /dev/zero >tree/big.bin
    "$TOOL" tree -p tree-build --out small/out --place Item=1 >/dev/null
    echo "status $?"
    find small -type f -size -64k -name "*.cpp" -newer tree/README | wc -l | sed "s/.*/some files may be there/"
    ls small/out/big.bin 2>/dev/null
    exit 0'
