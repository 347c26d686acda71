# SPDX-License-Identifier: Apache-2.0
# A package whose installation broke off half way is missing, although its program is there already.
. "$HELPERS/fake_system.sh"
fake_system debian
fake_demo_needs
fake_command dpkg-query '
    for package; do :; done
    [ "$package" = make ] || exit 1
    grep -q -x make "$WORK/installed" && printf installed || printf unpacked'
"$ROOT/scripts/setup" demo
