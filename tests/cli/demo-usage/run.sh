# SPDX-License-Identifier: Apache-2.0
# The demo's command line: help, and one line for what it does not know, before anything is done.
"$ROOT/scripts/demo" --help
"$ROOT/scripts/demo" --fast
