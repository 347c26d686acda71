# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Finds or fetches the guest's kernel: Debian's cloud kernel, which boots without modules and has
# NUMA, transparent huge pages, hugetlbfs and cpusets built in. Nothing is installed and no state of
# the system's package manager is written. Must not know: QEMU, the guest's files.

kernel_package=linux-image-cloud-amd64 # names the package with today's version in its dependencies

kernel_cache() { echo "${NUMAVM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/numafy/numavm}"; }

# Why there is none, and what to do.
kernel_advice() {
    if [ -n "${NUMAVM_KERNEL-}" ]; then
        echo "NUMAVM_KERNEL=$NUMAVM_KERNEL is not a Linux image for x86"
        return
    fi
    echo "no kernel image: run 'scripts/numavm --fetch' with network, apt-get install $kernel_package," \
        "or set NUMAVM_KERNEL"
}

# True if $1 is a Linux image for x86: the boot protocol's magic number is at offset 514.
kernel_valid() {
    [ -r "$1" ] && [ "$(dd if="$1" bs=1 skip=514 count=4 2>/dev/null | tr -d '\0')" = HdrS ]
}

# Prints the path of the image to boot: NUMAVM_KERNEL, the newest fetched or the newest installed.
kernel_find() {
    local image
    if [ -n "${NUMAVM_KERNEL-}" ]; then
        kernel_valid "$NUMAVM_KERNEL" && echo "$NUMAVM_KERNEL"
        return
    fi
    while read -r image; do
        if kernel_valid "$image"; then
            echo "$image"
            return
        fi
    done < <({ printf '%s\n' "$(kernel_cache)"/vmlinuz-*-cloud-amd64 | sort -rV; } &&
        printf '%s\n' /boot/vmlinuz-*-cloud-amd64 | sort -rV)
    return 1
}

# Downloads today's package into the current folder; $@ are more options of apt.
kernel_download() {
    local package
    package=$(apt-cache "$@" depends "$kernel_package" | sed -n 's/.*Depends: //p' | head -n 1)
    [ -n "$package" ] || {
        echo "apt knows no $kernel_package"
        return 1
    }
    apt-get -q -o APT::Sandbox::User=root "$@" download "$package"
}

# The same with package lists of our own, fetched now: the system's may be absent or too old (the
# package's name changes with each security update), and writing them needs root.
kernel_download_fresh() {
    mkdir -p lists/partial archives/partial || return 1
    local own=(-o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD" -o APT::Sandbox::User=root)
    apt-get -q "${own[@]}" update && kernel_download "${own[@]}"
}

# Unpacks the package in the current folder and prints the image's name.
kernel_unpack() {
    local deb image
    deb=$(printf '%s\n' linux-image-*.deb | head -n 1)
    dpkg-deb --info "$deb" >/dev/null && dpkg-deb --fsys-tarfile "$deb" |
        tar -x --wildcards './boot/vmlinuz-*' || return 1
    image=$(printf '%s\n' boot/vmlinuz-* | head -n 1)
    kernel_valid "$image" && echo "$image"
}

# Fetches the kernel into the cache. One process at a time; the image appears by a rename.
kernel_fetch() {
    local cache tool temporary image status=1
    if [ -n "${NUMAVM_KERNEL-}" ]; then
        echo "numavm: $(kernel_advice)" >&2
        return 1
    fi
    for tool in apt-get apt-cache dpkg-deb; do
        command -v $tool >/dev/null || {
            echo "numavm: no kernel image and no $tool to fetch Debian's: set NUMAVM_KERNEL" >&2
            return 1
        }
    done
    cache=$(kernel_cache)
    if ! mkdir -p "$cache" 2>/dev/null || ! [ -w "$cache" ]; then
        echo "numavm: cannot write to $cache: set NUMAVM_CACHE" >&2
        return 1
    fi
    exec 9>"$cache/lock" && flock 9
    if ! kernel_find >/dev/null; then # nobody has fetched it while we waited
        echo "numavm: fetching the guest's kernel (27 MB) into $cache" >&2
        rm -rf "$cache"/fetch.?????? # of one that was killed
        temporary=$(mktemp -d "$cache/fetch.XXXXXX") && (
            exec 2>"$cache/fetch.log"
            cd "$temporary" && { kernel_download || kernel_download_fresh; } >&2 &&
                image=$(kernel_unpack) && mv "$image" "$cache/"
        ) && status=0
        rm -rf "$temporary"
        [ $status -eq 0 ] || echo "numavm: no kernel image, and fetching it failed:" \
            "$(grep -a -e '^E: ' -e '^W: Failed' "$cache/fetch.log" | head -n 1)" \
            "(log: $cache/fetch.log)" >&2
    else
        status=0
    fi
    exec 9>&-
    return $status
}
