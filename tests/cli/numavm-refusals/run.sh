# SPDX-License-Identifier: Apache-2.0
# What numavm needs and does not find: one line each, 125 from a run, 1 from --check.
set -eu
mkdir bin bin-qemu bin-apt empty
for tool in bash basename cat cp dd dirname env flock head id ldd mkdir mktemp mv readlink rm sed \
    sort stat tail tr uname grep paste; do
    ln -s "$(command -v $tool)" bin/$tool
done
printf '#!/bin/sh\nexit 1\n' | tee bin-qemu/qemu-system-x86_64 >bin-apt/apt-get
printf '#!/bin/sh\necho "E: no network here" >&2; exit 100\n' >bin-apt/apt-cache
cp bin-apt/apt-cache bin-apt/apt-get
cp bin-apt/apt-cache bin-apt/dpkg-deb
chmod +x bin-qemu/* bin-apt/*
# A busybox that is not static.
cp /bin/true dynamic
export NUMAVM_CACHE="$PWD/cache of the kernel"

try() {
    status=0
    "$@" || status=$?
    echo "status $status"
}
numavm=$ROOT/scripts/numavm
exec 2>&1
try env PATH="$PWD/bin" "$numavm" --check
try env PATH="$PWD/bin" "$numavm" default empty true
try env PATH="$PWD/bin:$PWD/bin-qemu" NUMAVM_KERNEL="$PWD/dynamic" "$numavm" --check
try env PATH="$PWD/bin:$PWD/bin-qemu" NUMAVM_KERNEL="$PWD/dynamic" "$numavm" default empty true
if ls /boot/vmlinuz-*-cloud-amd64 >/dev/null 2>&1; then
    echo 'a cloud kernel is installed'
    exit 77
fi
try env PATH="$PWD/bin:$PWD/bin-qemu" "$numavm" --check
try env PATH="$PWD/bin:$PWD/bin-qemu" "$numavm" default empty true
try env PATH="$PWD/bin:$PWD/bin-qemu:$PWD/bin-apt" "$numavm" default empty true
ls "$NUMAVM_CACHE"
# A damaged file in the cache is no kernel.
cp dynamic "$NUMAVM_CACHE/vmlinuz-9.9-cloud-amd64"
try env PATH="$PWD/bin:$PWD/bin-qemu" "$numavm" --check
