# SPDX-License-Identifier: Apache-2.0
# Status 0 of apt-get is not believed when the things are still missing.
. "$HELPERS/fake_system.sh"
fake_system debian
fake_demo_needs
rm bin/make
fake_command apt-get 'exit 0'
"$ROOT/scripts/setup" demo
