# SPDX-License-Identifier: Apache-2.0
# A system that does not say what it is counts as another system.
. "$HELPERS/fake_system.sh"
fake_system debian
rm system/etc/os-release
fake_demo_needs
rm bin/make
"$ROOT/scripts/setup" demo
