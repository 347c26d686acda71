# SPDX-License-Identifier: Apache-2.0
# A small system for cases of scripts/setup: `fake_system ID` makes ./system (SETUP_ROOT) with /etc/os-release of that
# ID, and ./bin, which becomes the whole PATH: basic tools, a dpkg-query that knows the packages in ./installed, and an
# apt-get that writes each call to ./apt.log and "installs" by adding to ./installed.
# To be sourced in the case's work folder.

basic_tools='awk cat chmod cut df dirname env grep id mkdir mktemp nproc rm sed sh sleep tail tee tr'

fake_system() {
    mkdir -p bin system/etc system/usr/include
    printf 'NAME="Some System"\nID=%s\n' "$1" >system/etc/os-release
    : >installed
    : >apt.log
    for tool in $basic_tools; do
        ln -s "$(command -v "$tool")" "bin/$tool"
    done
    fake_command dpkg-query '
        for package; do :; done
        grep -q -x -e "$package" "$WORK/installed" || exit 1
        printf installed'
    fake_command apt-get '
        echo "[$DEBIAN_FRONTEND] $*" >>"$WORK/apt.log"
        case " $* " in
        *" install "*)
            echo "pmstatus:dpkg-exec:50.0000:Running dpkg" >&3
            for word; do echo "$word"; done >>"$WORK/installed"
            ;;
        esac'
    fake_command true 'exit 0'
    fake_user 0
    SETUP_ROOT=$WORK/system
    PATH=$WORK/bin
    export SETUP_ROOT PATH WORK
}

# fake_command NAME BODY: a shell script on the case's PATH, in place of what was there under that name.
fake_command() {
    /bin/rm -f "$WORK/bin/$1"
    printf '#!/bin/sh\n%s\n' "$2" >"$WORK/bin/$1"
    /bin/chmod +x "$WORK/bin/$1"
}

fake_user() {
    fake_command id "echo $1"
}

fake_disk_mib() {
    fake_command df "echo 'Filesystem 1024-blocks Used Available Capacity Mounted on'; echo 'd 1 1 $(($1 * 1024)) 1% /'"
}

# Everything of the group demo, by what scripts/setup looks for on a system without dpkg.
fake_demo_needs() {
    for name in g++ gcc make cmake pkg-config; do
        fake_command "$name" 'exit 0'
    done
    /bin/ln -s "$PYTHON" "$WORK/bin/python3"
    mkdir -p system/usr/include/jemalloc system/usr/include/json-c system/usr/lib/llvm-19/include/clang-c
    for header in jemalloc/jemalloc.h numa.h json-c/json.h xxhash.h; do
        : >"system/usr/include/$header"
    done
    : >system/usr/lib/llvm-19/include/clang-c/Index.h
}
