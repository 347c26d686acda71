# SPDX-License-Identifier: Apache-2.0
"""Prints fenced blocks of a Markdown file: block.py FILE LANGUAGE [INDEX]; INDEX counts from 0, without it all of them.

It fails if there is no such block, so that a case cannot pass on an empty one.
"""

import re
import sys
from pathlib import Path


def blocks(text: str, language: str) -> list:
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", text, re.M | re.S)


file, language = sys.argv[1:3]
found = blocks(Path(file).read_text(encoding="utf-8"), language)
chosen = [found[int(sys.argv[3])]] if len(sys.argv) > 3 else found
if not chosen:
    sys.exit(f"{file}: no block of {language}")
sys.stdout.write("\n".join(chosen))
