# SPDX-License-Identifier: Apache-2.0
"""What a rewritten file includes uses no identifier that a macro of the file could be called.

A file has its macros before our include (`#define value ...`, `#define T int`), so near.h and what it includes may name
only keywords, public names and names that begin with numafy_ or NUMAFY_.
"""

import re
import unittest
from pathlib import Path
from typing import Set

RUNTIME = Path(__file__).resolve().parents[2] / "runtime" / "numafy"
HEADERS = ("near.h", "site.h", "site_calls.h", "off.h", "cache.h", "check.h", "type.hpp")

KEYWORDS = set(
    """auto bool break case char class const const_cast constexpr continue decltype default defined delete do double else enum
    explicit extern false float for if inline int long namespace new noexcept nullptr operator private protected public
    return short signed sizeof static static_cast struct switch template this throw true typedef typename union unsigned
    using virtual void volatile while define elif endif error ifdef ifndef include pragma undef""".split()
)
# Fixed by docs/runtime.md; std's two are what a placed new needs.
PUBLIC = {
    "numafy", "numa", "near", "on", "done", "enter", "enter_on", "leave", "at", "ctor", "std", "nothrow_t", "align_val_t"
}

# Features that clang is asked for, and words that are only pasted to others: neither is expanded.
UNEXPANDED = {"address_sanitizer", "thread_sanitizer", "memory_sanitizer", "hwaddress_sanitizer", "plain_", "aligned_"}


def foreign_names(text: str) -> Set[str]:
    """The identifiers of a header that a user's macro could be called."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")
    text = re.sub(r'^\s*#\s*(pragma|error)\b.*$|"(\\.|[^"\\\n])*"', " ", text, flags=re.M)
    found: Set[str] = set()
    for line in text.splitlines():
        names = set(re.findall(r"\b[A-Za-z_]\w*", re.sub(r"\b\d\w*", " ", line)))
        macro = re.match(r"\s*#\s*define\s+\w+\(([^)]*)\)", line)
        if macro:  # parameters hide the user's macros
            names -= {name.strip() for name in macro.group(1).split(",")}
        found |= names
    reserved = re.compile(r"(numafy|NUMAFY)_|__")
    return {n for n in found if not reserved.match(n)} - KEYWORDS - PUBLIC - UNEXPANDED


class HeaderNames(unittest.TestCase):
    def test_every_name_is_ours_or_public(self):
        for header in HEADERS:
            text = (RUNTIME / header).read_text("utf-8")
            self.assertIn("numafy_", text)
            self.assertEqual(foreign_names(text), set(), header)

    def test_the_check_sees_what_it_is_for(self):
        text = (
            "template <class T> struct numafy_a_ { T value; }; // comment\n"
            "#define NUMAFY_X_(op, n) op(n, \\\n other)\n"
            "__attribute__((unused)) void numafy_f_(int node); /* said */\n"
        )
        self.assertEqual(foreign_names(text), {"T", "value", "other", "unused", "node"})


if __name__ == "__main__":
    unittest.main()
