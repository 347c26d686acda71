# SPDX-License-Identifier: Apache-2.0
"""numafy-cc and numafy-c++: what they add to which command line."""

import os
import shutil
import subprocess
import unittest

from support import Project, environment, write

from numafy import record

SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]

# A command line, and what is added: i the include path, l the libraries.
CASES = [
    ("a.c", "il"),
    ("a.c -o a", "il"),
    ("-O2 a.cpp b.o -o prog -lm", "il"),
    ("a.o b.o -o prog", "l"),
    ("-c a.c", "i"),
    ("-c a.c -o a.o", "i"),
    ("a.c -c", "i"),
    ("-o -c a.o", "l"),
    ("-o a -I -c a.c", "il"),
    ("-E a.c", "i"),
    ("-E -", "i"),
    ("-dM -E -x c /dev/null", "i"),
    ("-S a.c", "i"),
    ("-M a.c", "i"),
    ("-MM a.c", "i"),
    ("-MD a.c", "il"),
    ("-MMD -MF a.d a.c -o a", "il"),
    ("-MD -MF -c -c a.c", "i"),
    ("-MT -c -MMD a.c", "il"),
    ("-fsyntax-only a.c", "i"),
    ("-r a.o b.o -o ab.o", ""),
    ("-Wl,-r a.o", ""),
    ("-Wl,-z,now,-r a.o", ""),
    ("-Wl,-rpath,/x a.o", "l"),
    ("-Xlinker -r a.o", ""),
    ("-Xlinker -rpath -Xlinker /x a.o", "l"),
    ("-nostdlib a.c", "i"),
    ("-nostdlib a.o", ""),
    ("-nodefaultlibs a.o", ""),
    ("-nostdinc a.c", "il"),
    ("-shared a.o -o liba.so", "l"),
    ("-shared -fPIC a.c -o liba.so", "il"),
    ("-pthread a.o", "l"),
    ("--version", ""),
    ("-v", ""),
    ("-v a.o -o a", "l"),
    ("-dumpversion", ""),
    ("-dumpmachine", ""),
    ("-print-file-name=libc.so", ""),
    ("-print-search-dirs", ""),
    ("--print-multiarch", ""),
    ("--help", ""),
    ("", ""),
    ("--version a.c", "i"),
    ("-###", ""),
    ("-lm", ""),
    ("-o a", ""),
    ("-x c", ""),
    ("-x c -", "il"),
    ("-xc++ a.txt", "il"),
    ("-x c a.in -x none b.o -o a", "il"),
    ("-x assembler a.in -c", ""),
    ("-x c++-header a.h", "i"),
    ("a.h", "i"),
    ("a.hpp -o a.gch", "i"),
    ("-include a.h a.c", "il"),
    ("a.s -c", ""),
    ("a.s -o a", "l"),
    ("a.S -c", "i"),
    ("a.cc", "il"),
    ("a.C", "il"),
    ("a.cxx", "il"),
    ("a.i", "l"),
    ("a.ii -c", ""),
    ("-x cpp-output a.c -c", ""),
    ("-c -- a.c", "i"),
    ("-- -c", "l"),
    ("-include x.c a.o", "l"),
    ("-D a.c b.o", "l"),
    ("--param a.c b.o", "l"),
    ("-Lx -L y.c a.o", "l"),
    ("-T link.c a.o", "l"),
    ("-u main.c a.o", "l"),
    ("-z now a.o", "l"),
    ("liba.a -o a", "l"),
]


class Wrapper(Project):
    def setUp(self):
        super().setUp()
        self.real = write(
            self.base / "real cc",
            "#!/bin/sh\n[ $# = 0 ] || printf '%s\\0' \"$@\"\nexit ${CODE:-0}\n",
            0o755,
        )
        self.added_include = ["-isystem", f"{self.root}/runtime"]
        self.added_link = [
            f"-L{self.root}/build/lib",
            "-Xlinker",
            "-rpath",
            "-Xlinker",
            f"{self.root}/build/lib",
            "-Wl,--push-state,--no-as-needed",
            "-lnumafy",
            "-ljemalloc",
            "-Wl,--pop-state",
        ]

    def run_wrapper(self, *arguments, name="numafy-cc", shell=None, cwd=None, **env):
        program = [str(self.bin / name)]
        if shell:
            program = [shell, *(["sh"] if shell == "busybox" else []), *program]
        settings = environment(**{"NUMAFY_REAL_CC": self.real, "NUMAFY_REAL_CXX": self.real, **env})
        return subprocess.run(
            [*program, *arguments],
            cwd=cwd or self.base,
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def words(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return [os.fsdecode(word) for word in done.stdout.split(b"\0")[:-1]]

    def expected(self, arguments, added):
        return (
            (self.added_include if "i" in added else [])
            + (self.added_link if "l" in added else [])
            + arguments
        )

    def test_what_is_added(self):
        for text, added in CASES:
            with self.subTest(arguments=text):
                arguments = text.split()
                self.assertEqual(
                    self.words(self.run_wrapper(*arguments)), self.expected(arguments, added)
                )

    def test_the_baseline(self):
        (self.root / "build" / "lib" / "libnumafy_onnode.so").touch()
        self.assertEqual(
            self.words(self.run_wrapper("-c", "a.c", NUMAFY_UMF="0")),
            [*self.added_include, "-DNUMAFY_CACHE_ONNODE", "-c", "a.c"],
        )
        link = self.words(self.run_wrapper("a.o", NUMAFY_UMF="0"))
        self.assertEqual(link[-5:], ["-lnumafy_onnode", "-ljemalloc", "-lnuma", "-Wl,--pop-state", "a.o"])
        self.assertEqual(self.words(self.run_wrapper("a.o", NUMAFY_UMF="1")), [*self.added_link, "a.o"])
        done = self.run_wrapper("a.o", NUMAFY_UMF="2")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"NUMAFY_UMF=2", done.stderr)

    def test_in_every_shell(self):
        self.assertTrue(SHELLS)
        for shell in SHELLS:
            for name in ("numafy-cc", "numafy-c++"):
                for text, added in CASES[::7]:
                    with self.subTest(shell=shell, arguments=text):
                        arguments = text.split()
                        done = self.run_wrapper(*arguments, shell=shell, name=name)
                        self.assertEqual(self.words(done), self.expected(arguments, added))

    def test_arguments_arrive_unchanged(self):
        odd = [
            "-DX=a b",
            "-DY='$HOME'",
            '-DZ="q"',
            "-D*",
            "-DNL=\n",
            "",
            "-D\\n",
            os.fsdecode(b"-D\xff"),
            "a b.c",
        ]
        done = self.run_wrapper(*odd, "-c")
        self.assertEqual(self.words(done), self.added_include + odd + ["-c"])

    def test_exit_status(self):
        self.assertEqual(self.run_wrapper("-c", "a.c", CODE=4).returncode, 4)

    def test_response_files(self):
        for text, added in (
            ("-c a.c", "i"),
            ("a.o\nb.o\n", "l"),
            ("-r\na.o", ""),
            ('"a b.c"\n-o a', "il"),
        ):
            with self.subTest(text=text):
                file = write(self.base / "args", text + "\n")
                self.assertEqual(
                    self.words(self.run_wrapper(f"@{file}")), self.expected([f"@{file}"], added)
                )

    def test_the_compiler_behind(self):
        two = write(self.base / "bin" / "two", '#!/bin/sh\nprintf "two\\0"; exec "$@"\n', 0o755)
        write(self.base / "bin" / "inner", "#!/bin/sh\nprintf '%s\\0' \"$@\"\n", 0o755)
        path = f"{two.parent}:/usr/bin:/bin"
        done = self.run_wrapper("-c", "a.c", NUMAFY_REAL_CC="two inner -m32", PATH=path)
        self.assertEqual(self.words(done), ["two", "-m32", *self.added_include, "-c", "a.c"])
        done = self.run_wrapper("-c", "a.c", NUMAFY_REAL_CC="", PATH=path)
        self.assertIn(b"a.c", done.stderr)  # the default cc, which misses the file

    def test_refusals(self):
        for real, words in (
            ("numafy-cc", b"names a wrapper"),
            (f"{self.bin}/numafy-c++", b"names a wrapper"),
            ("no-such-compiler", b"not on PATH"),
            ("no-such -m32", b"not on PATH"),
        ):
            with self.subTest(real=real):
                done = self.run_wrapper("-c", "a.c", NUMAFY_REAL_CC=real)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_static_programs_are_refused(self):
        for option in ("-static", "--static", "-static-pie"):
            done = self.run_wrapper(option, "a.o")
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"numafy-cc: no static programs", done.stderr)
            self.assertEqual(self.run_wrapper(option, "-c", "a.c").returncode, 0)
            self.assertEqual(self.run_wrapper(option, "--version").returncode, 0)
        self.assertEqual(self.run_wrapper("-static-libgcc", "a.o").returncode, 0)

    def test_missing_library(self):
        (self.root / "build" / "lib" / "libnumafy.so").unlink()
        done = self.run_wrapper("a.o")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"libnumafy.so is missing", done.stderr)
        self.assertEqual(self.run_wrapper("-c", "a.c").returncode, 0)

    def test_log_of_compiled_sources(self):
        log = self.base / "log"
        inside = self.base / "in\nside"
        inside.mkdir()
        self.run_wrapper("-c", "a b.c", "-o", "x.c", NUMAFY_CC_LOG=log, cwd=inside)
        self.run_wrapper("b.cc", "c.o", "-include", "d.c", name="numafy-c++", NUMAFY_CC_LOG=log)
        self.run_wrapper("c.o", "-o", "c", NUMAFY_CC_LOG=log)
        fields = os.fsdecode(log.read_bytes()).split("\0")
        self.assertEqual(fields, [str(inside), "a b.c", str(self.base), "b.cc", ""])

    def test_records(self):
        records = self.base / "records"
        records.mkdir()
        response = write(self.base / "r.rsp", "'-DX=a b' -c\n")
        for arguments in (["-c", "a b.c"], ["@r.rsp", "\xe4\n.c"], ["a.o", "-static"]):
            done = self.run_wrapper(*arguments, NUMAFY_RECORD=records)
            self.assertEqual(done.returncode, 0, done.stderr)
        response.unlink()
        seen = {tuple(c.arguments): c for c in record.commands(self.base)}
        self.assertEqual(
            set(seen), {("-c", "a b.c"), ("-DX=a b", "-c", "\xe4\n.c"), ("a.o", "-static")}
        )
        command = seen[("-c", "a b.c")]
        self.assertEqual(
            (command.directory, command.tool, command.program),
            (str(self.base), "numafy-cc", [str(self.real)]),
        )

    def test_one_record_of_a_wrapper_behind_a_wrapper(self):
        records = self.base / "records"
        records.mkdir()
        inner = write(
            self.base / "inner",
            f"#!/bin/sh\nNUMAFY_REAL_CC='{self.real}' exec '{self.bin}/numafy-cc' \"$@\"\n",
            0o755,
        )
        done = self.run_wrapper("-c", "a.c", NUMAFY_RECORD=records, NUMAFY_REAL_CC=inner)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(record.commands(self.base)), 1)

    def test_a_record_that_cannot_be_written(self):
        done = self.run_wrapper("-c", "a.c", NUMAFY_RECORD=self.base / "none")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"NUMAFY_RECORD", done.stderr)

    def test_names_the_variable_of_its_language(self):
        done = self.run_wrapper(
            "--version", name="numafy-c++", NUMAFY_REAL_CXX="nothing here", NUMAFY_REAL_CC="true"
        )
        self.assertIn(
            b"numafy-c++: the compiler 'nothing here' is not on PATH; "
            b"name one with NUMAFY_REAL_CXX",
            done.stderr,
        )


class RealCompilers(Project):
    """The added arguments are accepted, without a warning, and do what they should."""

    def setUp(self):
        super().setUp()
        self.source = write(
            self.base / "m.c",
            '#include "numafy/near.h"\nint numafy_mark(void);\n'
            "int main(void) { return MARK - numafy_mark(); }\n",
        )
        write(self.root / "runtime" / "numafy" / "near.h", "#define MARK 7\n")
        write(self.base / "lib.c", "int numafy_mark(void) { return 7; }\n")
        library = self.root / "build" / "lib" / "libnumafy.so"
        library.unlink()
        subprocess.run(
            ["cc", "-shared", "-fPIC", str(self.base / "lib.c"), "-o", str(library)], check=True
        )

    def test_build_steps(self):
        for compiler in ("gcc", "clang", "clang-14", "clang-19"):
            if not shutil.which(compiler):
                continue
            for steps in (
                ["-Werror m.c -o prog"],
                ["-Werror -c m.c -o m.o", "-Werror m.o -o prog"],
                [
                    "-E m.c -o m.i",
                    "-Werror -S m.i -o m.s",
                    "-Werror -c m.s -o m.o",
                    "-Werror m.o -o prog",
                ],
            ):
                with self.subTest(compiler=compiler, steps=steps):
                    for step in steps:
                        done = subprocess.run(
                            [str(self.bin / "numafy-cc"), *step.split()],
                            cwd=self.base,
                            env=environment(NUMAFY_REAL_CC=compiler),
                            stderr=subprocess.PIPE,
                        )
                        self.assertEqual((done.returncode, done.stderr), (0, b""))
                    self.assertEqual(subprocess.run([str(self.base / "prog")]).returncode, 0)
                    needed = subprocess.run(
                        ["readelf", "-d", str(self.base / "prog")], stdout=subprocess.PIPE
                    ).stdout
                    self.assertIn(b"libjemalloc", needed)
                    self.assertIn(f"[{self.root}/build/lib]".encode(), needed)

    def test_the_library_comes_before_another_allocator(self):
        subprocess.run(
            [
                "cc",
                "-shared",
                "-fPIC",
                str(self.base / "lib.c"),
                "-o",
                str(self.base / "libother.so"),
            ],
            check=True,
        )
        done = subprocess.run(
            [
                str(self.bin / "numafy-cc"),
                "m.c",
                "-L.",
                "-Wl,--no-as-needed",
                "-lother",
                "-o",
                "prog",
            ],
            cwd=self.base,
            env=environment(),
            stderr=subprocess.PIPE,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        dynamic = subprocess.run(
            ["readelf", "-d", str(self.base / "prog")], stdout=subprocess.PIPE
        ).stdout.decode()
        needed = [
            line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line
        ]
        self.assertEqual(needed[0], "libnumafy.so")
        self.assertIn("libother.so", needed)

    def test_the_callers_as_needed_state_is_kept(self):
        done = subprocess.run(
            [str(self.bin / "numafy-cc"), "m.c", "-Wl,--as-needed", "-lm", "-o", "prog"],
            cwd=self.base,
            env=environment(),
            stderr=subprocess.PIPE,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        dynamic = subprocess.run(
            ["readelf", "-d", str(self.base / "prog")], stdout=subprocess.PIPE
        ).stdout
        self.assertNotIn(b"libm.so", dynamic)
        self.assertIn(b"libnumafy.so", dynamic)


if __name__ == "__main__":
    unittest.main()
