# SPDX-License-Identifier: Apache-2.0
# The lock of the package lists is held by somebody at first: the update is tried again.
. "$HELPERS/fake_system.sh"
fake_system debian
fake_demo_needs
rm bin/make
fake_command sleep 'echo "slept $1" >>"$WORK/apt.log"; : >"$WORK/free"'
fake_command apt-get '
    for last; do :; done
    echo "$last" >>"$WORK/apt.log"
    if [ ! -e "$WORK/free" ]; then
        echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"
        exit 100
    fi
    echo "$last" >>"$WORK/installed"'
"$ROOT/scripts/setup" demo
cat apt.log
