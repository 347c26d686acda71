# SPDX-License-Identifier: Apache-2.0
"""The runtime's behavioural tests by every compiler, over other allocators, and with the caches that are settings.

The build has them once, with its own compiler and jemalloc below. Here the same programs run again where a user may
have them: what must hold does not depend on that.
"""

import os
import shutil
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from harness import proc

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests" / "unit"
TESTS = Path(os.environ.get("BUILD", ROOT / "build")) / "tests"
COMPILERS = (("clang", "clang++"), ("clang-19", "clang++-19"))  # gcc is the build's

# Programs, and what they need beside their source.
PARTS = ("runtime_part_c.c", "runtime_part_cxx.cpp", "runtime_lib.c")
SOURCES: Dict[str, Tuple[str, ...]] = {
    "runtime_iso": ("runtime_iso.c",),
    "runtime_forms": ("runtime_forms.cpp",),
    "runtime_containers": ("runtime_containers.cpp",),
    "runtime_cxx": ("runtime_cxx.cpp", *PARTS),
}
LINK = ("-ljemalloc", "-lcmocka", "-lpthread", "-ldl", "-Wl,--export-dynamic-symbol=numafy_*")

SETTINGS: Dict[str, Dict[str, str]] = {
    "tcache": {"NUMAFY_CACHE": "tcache"},
    "one shard": {"NUMAFY_SHARDS": "1"},
    "tcmalloc": {"LD_PRELOAD": "libtcmalloc_minimal.so.4"},
    "mimalloc": {"LD_PRELOAD": "libmimalloc.so.2"},
}
EVERYWHERE = ("unit_runtime_iso", "unit_runtime_iso_no_replace", "unit_runtime_forms", "unit_runtime_containers")


def failures(result: proc.Result) -> str:
    """What a program of the tests said against itself, empty if nothing."""
    text = (result.stdout + result.stderr).decode("utf-8", "replace")
    if result.status == 0 and "cannot be preloaded" not in text:
        return ""
    return f"{result.how}\n" + "\n".join(line for line in text.splitlines() if not line.startswith(("[ RUN", "[ ", "#")))


class Settings(unittest.TestCase):
    def test_each_program_under_each_setting(self):
        """NUMAFY_CACHE=tcache, and another malloc as the program's own."""
        for setting, env in SETTINGS.items():
            for name in EVERYWHERE:
                with self.subTest(setting=setting, program=name):
                    self.assertEqual(failures(proc.run([TESTS / name], env=env)), "")

    def test_a_missing_library_is_a_failure(self):
        result = proc.run([TESTS / "unit_runtime_iso_off"], env={"LD_PRELOAD": "libnosuch_malloc.so"})
        self.assertNotEqual(failures(result), "")


class Compilers(unittest.TestCase):
    def build(self, folder: Path, compilers: Tuple[str, str], name: str) -> Path:
        """Compiles one program at -O2 and links it; PARTS are linked into it, so the library is a unit here."""
        objects: List[Path] = []
        for source in SOURCES[name]:
            c = source.endswith(".c")
            out = folder / f"{name}-{source}.o"
            flags = ["-std=gnu11"] if c else ["-std=c++17"]
            self.must([compilers[0 if c else 1], *flags, *self.common(), "-c", UNIT / source, "-o", out])
            objects.append(out)
        program = folder / name
        self.must([compilers[1], *objects, "-o", program, *LINK])
        return program

    @staticmethod
    def common() -> Sequence[str]:
        return ("-O2", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'runtime'}")

    def must(self, argv: Sequence[object]) -> None:
        result = proc.run([str(a) for a in argv], merge=True, timeout_s=600)
        self.assertEqual(result.status, 0, result.stdout.decode("utf-8", "replace"))

    def test_each_program_by_each_compiler(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)

        def one(compilers: Tuple[str, str], name: str) -> str:
            inside = folder / compilers[0]
            inside.mkdir(exist_ok=True)
            return failures(proc.run([self.build(inside, compilers, name)]))

        with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
            runs = {(c, n): pool.submit(one, c, n) for c in COMPILERS for n in SOURCES}
        for (compilers, name), run in runs.items():
            with self.subTest(compiler=compilers[0], program=name):
                self.assertEqual(run.result(), "")


if __name__ == "__main__":
    unittest.main()
