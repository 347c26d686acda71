# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# Builds the guest's file system, $work/initrd: a static busybox, PID 1, the carried folders and the
# shared libraries that their programs need. Reads the globals of numavm: work, here, dir, carried,
# excluded, environment, command_limit, guest_command.
# Must not know: QEMU, nodes, the kernel.

initramfs_error=''

# Prints the path of a static busybox: the guest has no libraries before it has mounted anything.
busybox_find() {
    local candidate kind
    for candidate in "${NUMAVM_BUSYBOX-}" /usr/bin/busybox /bin/busybox "$(command -v busybox)"; do
        [ -x "$candidate" ] || continue
        kind=$(ldd "$candidate" 2>&1)
        case $kind in
        *'not a dynamic executable'* | *'statically linked'*)
            echo "$candidate"
            return
            ;;
        esac
    done
    return 1
}

# Quotes $1 for any POSIX shell (printf %q writes bash's own forms).
shell_quote() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

# Prints the command as a shell script: one word is shell text, several are kept as they are.
initramfs_command() {
    local word
    if [ $# -eq 1 ]; then
        printf '%s\n' "$1"
        return
    fi
    printf 'exec'
    for word in "$@"; do
        printf ' %s' "$(shell_quote "$word")"
    done
    printf '\n'
}

# Prints the file that PID 1 sources.
initramfs_settings() {
    local entry
    printf 'numavm_dir=%s\nnumavm_limit=%s\n' "$(shell_quote "$dir")" "$command_limit"
    # ldd obeys it outside, so the loader must see it inside.
    [ -z "${LD_LIBRARY_PATH-}" ] ||
        printf 'export LD_LIBRARY_PATH=%s\n' "$(shell_quote "$LD_LIBRARY_PATH")"
    for entry in ${environment[@]+"${environment[@]}"}; do
        if ! [[ ${entry%%=*} =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]]; then
            echo "-e: '$entry' is not NAME=VALUE" >&2
            return 1
        fi
        case $entry in
        *=*) printf 'export %s=%s\n' "${entry%%=*}" "$(shell_quote "${entry#*=}")" ;;
        *)
            [ -z "${!entry+set}" ] ||
                printf 'export %s=%s\n' "$entry" "$(shell_quote "${!entry}")"
            ;;
        esac
    done
}

# The carried ELF files of $1, a list of paths, each as it is named outside: ldd must see the real
# place, or libraries beside a program ($ORIGIN) are not found.
initramfs_programs() {
    local file magic
    while IFS= read -r -d '' file; do
        LC_ALL=C IFS= read -r -n 4 magic <"$file" 2>/dev/null
        [ "$magic" != $'\x7fELF' ] || printf '%s\0' "${file#"$1"}"
    done < <(find "$1" -type f \( -perm /u+x -o -name '*.so*' \) -print0 2>/dev/null)
}

# Copies every library that ldd names to the place where the loader looks for it, and the loader.
initramfs_libraries() {
    local root=$1 library missing
    initramfs_programs "$root" | xargs -0 -r -n 64 ldd >"$work/ldd" 2>/dev/null
    # Programs without libraries make ldd fail, a missing library does not: look at the text.
    missing=$(sed -n 's/^[[:space:]]*\(.*\) => not found$/\1/p' "$work/ldd" | sort -u | paste -sd ' ')
    [ -z "$missing" ] || echo "numavm: not found by ldd, so not in the guest: $missing" >&2
    while IFS= read -r library; do
        [ -e "$root$library" ] && continue
        mkdir -p "$root${library%/*}" && cp -L "$library" "$root$library" || return 1
    done < <(sed -n -e 's/^.* => \(\/.*\) (0x[0-9a-f]*)$/\1/p' \
        -e 's/^[[:space:]]*\(\/.*\) (0x[0-9a-f]*)$/\1/p' "$work/ldd" | sort -u)
}

# What is left out, as options that tar and du share.
initramfs_excluding() { printf -- '--exclude=%s\0' "${excluded[@]}"; }

# Prints the size of what is to be carried, without libraries.
initramfs_carried_kib() {
    local options
    mapfile -d '' -t options < <(initramfs_excluding)
    du -skc --apparent-size "${options[@]}" -- "$dir" ${carried[@]+"${carried[@]}"} 2>/dev/null |
        sed -n '$s/[^0-9].*//p'
}

# Copies $dir and the -x paths into root $1.
initramfs_carry() {
    local path options
    mapfile -d '' -t options < <(initramfs_excluding)
    for path in "$dir" ${carried[@]+"${carried[@]}"}; do
        printf '%s\0' "${path#/}"
    done | tar -C / -cf - "${options[@]}" --null --verbatim-files-from -T - 2>"$work/tar.err" |
        tar -C "$1" -xf - 2>>"$work/tar.err"
}

# 0, or 1 and initramfs_error.
initramfs_build() {
    local root=$work/root busybox
    busybox=$(busybox_find) || { initramfs_error="no static busybox" && return 1; }
    mkdir -p "$root"/{bin,sbin,usr/bin,usr/sbin,proc,sys,dev,tmp,etc,root,out,lib64} || return 1
    chmod 1777 "$root/tmp"
    printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
    printf 'root:x:0:\n' >"$root/etc/group"
    # Where the loader finds libraries that are in none of its built-in folders.
    [ ! -r /etc/ld.so.cache ] || cp /etc/ld.so.cache "$root/etc/"
    if ! initramfs_carry "$root"; then
        initramfs_error="cannot copy $dir: $(head -n 1 "$work/tar.err")"
        return 1
    fi
    if ! initramfs_libraries "$root"; then
        initramfs_error="cannot copy the libraries of $dir"
        return 1
    fi
    initramfs_settings >"$root/etc/numavm.settings" 2>"$work/settings.err" || {
        initramfs_error=$(<"$work/settings.err")
        return 1
    }
    initramfs_command "${guest_command[@]}" >"$root/etc/numavm.command"
    # After the carried files: nothing of them may replace these two.
    cp "$busybox" "$root/bin/busybox" && cp "$here/init" "$root/init" &&
        chmod 755 "$root/bin/busybox" "$root/init" || return 1
    if ! (cd "$root" && find . -print0 | "$busybox" cpio -0 -o -H newc -R 0:0) \
        >"$work/initrd" 2>"$work/cpio.err"; then
        initramfs_error="cannot write the archive: $(head -n 1 "$work/cpio.err")"
        return 1
    fi
    rm -rf "$root"
}
