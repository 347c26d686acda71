# SPDX-License-Identifier: Apache-2.0
"""Sums, tables and the HTML page made from a rewriter's report."""

import json
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import support  # noqa: F401  # puts the package on the path

from numafy import report
from numafy.errors import NumafyError


def site(file, action, type_="T", identifier="", reason=""):
    return {
        "file": file,
        "line": 1,
        "column": 2,
        "kind": "new",
        "type": type_,
        "owner": "",
        "action": action,
        "reason": reason,
        "id": identifier,
    }


def document(*sites, files=(), tree="/t"):
    return {"version": "1", "tree": tree, "files": list(files), "sites": list(sites), "totals": {}}


class Sums(unittest.TestCase):
    def setUp(self):
        self.report = report.Report(
            document(
                site("/t/b.cpp", "near", "A"),
                site("/t/b.cpp", "left", "B", "NF1", "why"),
                site("a.cpp", "on", "A"),
                site("a.cpp", "scope", "A"),
                site("a.cpp", "left", "B", "NF1", "why"),
                site("/u/c.h", "left", "", "NF2"),
            )
        )

    def test_by_file(self):
        self.assertEqual(
            report.summary_by_file(self.report),
            [
                report.Row("/u/c.h", 1, 0, 0, 0, 1),
                report.Row("a.cpp", 3, 0, 1, 1, 1),
                report.Row("b.cpp", 2, 1, 0, 0, 1),
            ],
        )

    def test_by_type(self):
        self.assertEqual(
            report.summary_by_type(self.report),
            [
                report.Row("?", 1, 0, 0, 0, 1),
                report.Row("A", 3, 1, 1, 1, 0),
                report.Row("B", 2, 0, 0, 0, 2),
            ],
        )

    def test_total(self):
        self.assertEqual(
            report.total_row(report.summary_by_file(self.report)), ("total", 6, 1, 1, 1, 3)
        )
        self.assertEqual(report.total_row([]), ("total", 0, 0, 0, 0, 0))

    def test_text(self):
        lines = report.text_table(report.summary_by_file(self.report), "file").splitlines()
        self.assertEqual(lines[0].split(), ["file", "sites", "near", "on", "scope", "left"])
        self.assertEqual(lines[3].split(), ["a.cpp", "3", "0", "1", "1", "1"])
        self.assertEqual(lines[-1].split(), ["total", "6", "1", "1", "1", "3"])
        self.assertEqual(len({len(line) for line in lines}), 1, "columns are not aligned")

    def test_reasons_most_frequent_first(self):
        text = report.text_summary(self.report)
        self.assertLess(text.index("2  NF1  why"), text.index("1  NF2"))

    def test_nothing_to_say(self):
        self.assertEqual(report.text_summary(report.Report(document())), "no allocation sites")


class Page(unittest.TestCase):
    EVIL = "<script>alert('1')</script>&\"x\""

    def page(self, *sites, **more):
        return report.html_page(report.Report(document(*sites, **more)))

    def test_nothing_unescaped(self):
        files = [{"path": self.EVIL, "status": "failed", "reason": self.EVIL}]
        page = self.page(
            site(self.EVIL, "left", self.EVIL, self.EVIL, self.EVIL), files=files, tree=self.EVIL
        )
        self.assertNotIn("<script", page)
        self.assertNotIn("alert('1')", page)
        self.assertIn("&lt;script&gt;alert(&#x27;1&#x27;)&lt;/script&gt;&amp;&quot;x&quot;", page)

    def test_well_formed_and_self_contained(self):
        page = self.page(site("a", "near"), site("a", "left", "T", "NF1", "r"))
        stack, problems = [], []

        class Check(HTMLParser):
            def handle_starttag(self, tag, attributes):
                if any(name in ("src", "href") for name, _ in attributes):
                    problems.append(tag)
                if tag != "meta":
                    stack.append(tag)

            def handle_endtag(self, tag):
                if not stack or stack.pop() != tag:
                    problems.append(tag)

        Check().feed(page)
        self.assertEqual((stack, problems), ([], []))

    def test_left_sites_have_place_and_id(self):
        page = self.page(site("/t/a.cpp", "left", "Node", "NF1042", "nobody owns it"))
        for text in ("a.cpp:1:2", "NF1042", "nobody owns it", "Node"):
            self.assertIn(text, page)

    def test_empty(self):
        self.assertIn("0 allocation sites", self.page())

    def test_bytes_that_are_no_text(self):
        page = self.page(site("l\udce4t\nin.cpp", "near"))
        self.assertIn("l\\xe4t\\nin.cpp", page)
        page.encode("utf-8")


class Files(unittest.TestCase):
    def load(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "r.json"
            file.write_bytes(text)
            return report.Report.load(file)

    def test_unusable_reports_are_bugs(self):
        for text in (
            b"",
            b"[]",
            b'{"sites":[{}]}',
            b'{"sites":[{"action":"moved"}]}',
            b'{"sites":3}',
        ):
            with self.subTest(text=text), self.assertRaises(NumafyError) as caught:
                self.load(text)
            self.assertEqual(caught.exception.code, 70)

    def test_edited(self):
        found = self.load(
            json.dumps(
                {
                    "tree": "/t",
                    "files": [
                        {"path": "a.c", "status": "edited"},
                        {"path": "/t/b.c", "status": "edited"},
                        {"path": "c.c", "status": "failed"},
                        {"path": "d.c", "status": "unchanged"},
                    ],
                }
            ).encode()
        )
        self.assertEqual(found.edited(), ["a.c", "b.c"])


if __name__ == "__main__":
    unittest.main()
