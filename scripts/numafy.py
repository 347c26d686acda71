#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rewrites a C or C++ tree, or a suite, for NUMA placement: see --help and docs/cli.md."""

import os
import sys

if sys.version_info < (3, 9):
    sys.exit("numafy: Python 3.9 or newer is needed, this is " + sys.version.split()[0])

# The package stands beside this script's folder, and comes first: this file has the package's name.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from numafy.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
