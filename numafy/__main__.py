# SPDX-License-Identifier: Apache-2.0
"""``python3 -m numafy`` is ``scripts/numafy.py``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
