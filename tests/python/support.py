# SPDX-License-Identifier: Apache-2.0
"""What the driver's tests share: a throw-away project with a stand-in rewriter, and its runs.

The project is a copy of numafy/ and scripts/numafy.py in a folder whose name has a space, so that a
test can give it suites and programs of its own.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

# Copies the tree, puts a line in front of every file that has the word "new", reports what it was
# given.
STAND_IN = r"""#!@PYTHON@
import json, os, shutil, sys
arguments, given = sys.argv[1:], {}
tree, place = arguments.pop(0), []
while arguments:
    word = arguments.pop(0)
    if word in ("-p", "--out", "-j", "--report", "--place", "--root"):
        value = arguments.pop(0)
        place += [value] if word == "--place" else []
        given[word] = value
    else:
        given[word] = True
log = os.environ.get("STAND_IN_LOG")
if log:
    with open(log, "wb") as stream:
        stream.write(b"\0".join(map(os.fsencode, sys.argv[1:])))
    shutil.copy(given["-p"], log + ".cdb")
code = int(os.environ.get("STAND_IN_EXIT", "0"))
if code < 0:
    os.kill(os.getpid(), -code)
if os.environ.get("STAND_IN_SLEEP"):
    import time
    os.makedirs(given["--out"])
    open(os.environ["STAND_IN_SLEEP"], "w").close()
    time.sleep(60)
files, sites = [], []
out = given.get("--out")
for folder, folders, names in os.walk(tree):
    folders[:] = [name for name in folders if name not in (".git", ".numafy")]
    for name in sorted(names):
        path = os.path.join(folder, name)
        below = os.path.relpath(path, tree)
        if os.path.islink(path):
            continue
        data = open(path, "rb").read()
        source = name.endswith((".cpp", ".c", ".h"))
        edited = source and b"new" in data and not data.startswith(b"// rewritten")
        if source:
            status = "edited" if edited else "unchanged"
            files.append({"path": below, "status": status, "reason": "", "unit": below.endswith((".c", ".cpp"))})
        if edited:
            sites.append({"file": below, "line": 1, "column": 2, "kind": "new", "type": "Node",
                          "owner": "this", "action": "near", "reason": "", "id": ""})
            sites.append({"file": below, "line": 3, "column": 4, "kind": "new", "type": "Odd<&'\">",
                          "owner": "", "action": "left",
                          "reason": "no owner for <this> & that", "id": "NF1002"})
            data = b"// rewritten " + ",".join(place).encode() + b"\n" + data
        if out:
            target = os.path.join(out, below)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as stream:
                stream.write(data)
            shutil.copymode(path, target)
if "--diff" in given:
    sys.stdout.write("--- a\n+++ b\n")
else:
    print("summary of the stand-in")
near = sum(site["action"] == "near" for site in sites)
report = {"version": "1", "tree": tree, "files": files, "sites": sites,
          "totals": {"sites": len(sites), "near": near, "on": 0, "scope": 0,
                     "left": len(sites) - near, "lost": 0,
                     "files_edited": near, "files_failed": 0}}
if code not in (1, 6, 70):
    os.makedirs(os.path.dirname(given["--report"]), exist_ok=True)
    with open(given["--report"], "wb") as stream:
        stream.write(json.dumps(report, ensure_ascii=False).encode("utf-8", "surrogateescape"))
told = int(os.environ.get("NUMAFY_PROGRESS", "-1"))
for done in range(len(files) if told >= 0 else 0):
    os.write(told, b"%d %d\n" % (done + 1, len(files)))
print("NF1002 from the stand-in", file=sys.stderr)
sys.exit(code)
"""

SUITE_MAKEFILE = """\
NAME := @NAME@
all:
\t@echo building UMF=$(UMF) ROOT_DIR=$(ROOT_DIR)
\t@test -d "$(ROOT_DIR)/numafy"
\t@test ! -e fail
\t@echo "$(UMF)" >built
clean:
\t@rm -f built
ENTRY := {"directory":"%s","file":"a.cpp","arguments":["c++","-c","a.cpp"]}
compile_commands.json:
\t@printf '[$(ENTRY)]' "$(CURDIR)" >"$(CDB)"
"""


def environment(**extra):
    """The caller's environment without what would change numafy's behaviour."""
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("NUMAFY_", "STAND_IN_", "LC_"))
        and name not in ("CC", "CXX", "LANG", "MAKEFLAGS")
    }
    env.update({name: str(value) for name, value in extra.items()})
    return env


def write(path, data=b"", mode=None):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    if mode is not None:
        path.chmod(mode)
    return path


def database(tree, *names, folder=None):
    """Write a compile database for sources of a tree; returns its folder."""
    folder = Path(folder or tree)
    folder.mkdir(parents=True, exist_ok=True)
    entries = [
        {"directory": str(tree), "file": name, "arguments": ["c++", "-c", name]} for name in names
    ]
    text = json.dumps(entries, ensure_ascii=False)
    (folder / "compile_commands.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    return folder


def snapshot(tree):
    """Every file's bytes, mode and link target, by name."""
    result = {}
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            below = os.path.relpath(path, tree)
            if os.path.islink(path):
                result[below] = os.readlink(path)
            else:
                with open(path, "rb") as stream:
                    result[below] = (stream.read(), os.stat(path).st_mode)
    return result


class Project(unittest.TestCase):
    """A test with a throw-away project; self.base is its parent folder, free for trees."""

    def setUp(self):
        self.base = Path(os.path.realpath(tempfile.mkdtemp(prefix="numafy test ")))
        self.addCleanup(shutil.rmtree, self.base, ignore_errors=True)
        self.root = self.base / "the project"
        shutil.copytree(
            ROOT / "numafy", self.root / "numafy", ignore=shutil.ignore_patterns("__pycache__")
        )
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts" / "numafy.py", self.root / "scripts")
        self.bin = self.root / "build" / "bin"
        write(self.bin / "numafy-rewrite", STAND_IN.replace("@PYTHON@", sys.executable), 0o755)
        self.cache = self.base / "cache"
        self.log = self.base / "stand-in.log"
        self.make_wrappers()

    def make_wrappers(self):
        """The wrappers as scripts/CMakeLists.txt would configure them for this project."""
        text = (ROOT / "scripts" / "numafy-cc.in").read_text(encoding="utf-8")
        write(self.root / "build" / "lib" / "libnumafy.so")
        write(self.root / "runtime" / "numafy" / "near.h")
        for name, variable, default in (
            ("numafy-cc", "NUMAFY_REAL_CC", "cc"),
            ("numafy-c++", "NUMAFY_REAL_CXX", "c++"),
        ):
            values = {
                "WRAPPER_NAME": name,
                "REAL_VAR": variable,
                "DEFAULT_REAL": default,
                "QUOTED_INCLUDE_DIR": f"'{self.root}/runtime'",
                "QUOTED_LIBRARY_DIR": f"'{self.root}/build/lib'",
            }
            configured = text
            for key, value in values.items():
                configured = configured.replace(f"@NUMAFY_{key}@", value)
            write(self.bin / name, configured, 0o755)

    def suite(self, name, **files):
        folder = self.root / "suites" / name
        write(folder / "Makefile", SUITE_MAKEFILE.replace("@NAME@", name))
        write(folder / "a.cpp", "int *f() { return new int; }\n")
        for file, text in files.items():
            write(folder / file, text)
        return folder

    def tree(self, name="tree", **more):
        folder = self.base / name
        write(folder / "a.cpp", "int *f() { return new int; }\n")
        write(folder / "b.cpp", "int g() { return 1; }\n")
        write(folder / "a.h", "struct X { int *p = new int; };\n")
        for file, text in more.items():
            write(folder / file, text)
        return folder

    def numafy(self, *arguments, cwd=None, python=None, env=None):
        """Run scripts/numafy.py; returns the completed process with text outputs."""
        settings = environment(XDG_CACHE_HOME=self.cache, STAND_IN_LOG=self.log, **(env or {}))
        return subprocess.run(
            [python or sys.executable, self.root / "scripts" / "numafy.py", *arguments],
            cwd=cwd or self.base,
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=120,
        )

    def rewriter_arguments(self):
        return [os.fsdecode(word) for word in self.log.read_bytes().split(b"\0")]

    def rewriter_database(self):
        text = Path(f"{self.log}.cdb").read_bytes().decode("utf-8", "surrogateescape")
        return json.loads(text)

    def assertOneLine(self, done, code, *words):
        """The run failed with this code and its last line of stderr, the error, says the words."""
        self.assertEqual(done.returncode, code, done.stderr)
        lines = done.stderr.splitlines()
        last = [line for line in lines if line.startswith("numafy: ")][-1]
        for word in words:
            self.assertIn(str(word), last)
        self.assertNotIn("Traceback", done.stderr)
