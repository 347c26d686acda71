# SPDX-License-Identifier: Apache-2.0
# What apt-get says of a failure is shown, with the place of all that it said; a failed update alone is no end.
. "$HELPERS/fake_system.sh"
fake_system ubuntu
fake_demo_needs
rm system/usr/lib/llvm-19/include/clang-c/Index.h
fake_command apt-get '
    echo "call: $*" >>"$WORK/apt.log"
    case " $* " in
    *" update "*) echo "E: Failed to fetch the lists" ;;
    *) echo "Reading package lists..."; echo "E: Unable to locate package libclang-19-dev" ;;
    esac
    exit 100'
"$ROOT/scripts/setup" demo
status=$?
grep -c . apt.log
exit $status
