# SPDX-License-Identifier: Apache-2.0
"""Finds or makes the compile database of a tree.

In this order: the one that -p names; TREE/compile_commands.json; the only
TREE/build*/compile_commands.json; what the compiler wrappers record of the user's build command
in a copy of the tree; CMake's export, configured out of tree in a cache folder; what they record
of make. The tree itself is never written to, and a tree that builds several ways gets the answer
that its owner has already chosen. Beside the database stand the link commands, where they are
known: they tell programs apart.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shlex
import shutil
import stat
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Set, Tuple

from . import links, record, runner
from .errors import EXIT_WRITE, NumafyError
from .files import (
    cache_folder,
    dump_json,
    is_inside,
    read_json,
    real,
    sha256,
    shown,
    write_atomically,
)
from .progress import Progress

NAME = "compile_commands.json"
RECORDING = 2  # changes when what is made of a recording does
VERSION_CONTROL = {".git", ".hg", ".svn", ".bzr", ".jj"}
# Files whose text names the folder they were configured in; in a copy the name must be the copy's.
CONFIGURED = re.compile(
    r"(?i:makefile|gnumakefile)(\.[\w.]+)?|.*\.(mk|mak|make|pc|la|cmake)|config\.status|libtool|"
    r"build\.ninja|CMakeCache\.txt|config\.(h|log)"
)
CONFIGURED_MAX_BYTES = 8 << 20
OBJECT_SUFFIXES = (".o", ".lo", ".obj", ".gch", ".pch")
LINKED_SUFFIXES = (".o", ".lo", ".obj", ".a", ".so")
HEADER_SUFFIXES = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tcc", ".def")
# Options that name a folder to search, and those whose value is a path at all; glued to it or not.
SEARCH_OPTIONS = ("-isystem", "-iquote", "-idirafter", "-I")
PATH_OPTIONS = (*SEARCH_OPTIONS, "-include", "-imacros")
SOURCE_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".m", ".mm", ".cppm")

Entry = Dict[str, Any]


class Database(NamedTuple):
    """A compile database that is ready for the rewriter."""

    file: Path  # the rewriter's -p: compile_commands.json, whatever its name
    origin: str  # for people: where it came from
    units: int  # number of entries
    generated: List[str]  # sources of the build that are not the tree's own: reported, never edited
    missing: List[str]  # sources that do not exist: a stale database, or not generated yet
    links: Optional[Path] = None  # the rewriter's --links: link_commands.json, if they are known


@contextlib.contextmanager
def of_tree(
    tree: Path,
    given: Optional[Path],
    build: Optional[str],
    jobs: int,
    progress: Progress,
    environment: Callable[[], Mapping[str, str]] = lambda: os.environ,
    suite_database: Optional[Callable[[Path], None]] = None,
) -> Iterator[Database]:
    """The database of ``tree``, valid inside the with block; NumafyError when there is none.

    given           -p: a folder, or the file itself
    build           the user's build command, for a tree that is built by make
    environment     for that command
    suite_database  writes the database of one of the project's own suites into the file it is given
    """
    if suite_database:
        folder = cache_folder(tree) / "suite"
        folder.mkdir(exist_ok=True)
        with _locked(folder.parent, progress):
            suite_database(folder / NAME)
            yield _inspect(folder / NAME, tree, f"the suite's Makefile ({tree.name})")
        return
    found = _given(given) if given else _in_tree(tree)
    cache = None if found else cache_folder(tree)
    if found:
        yield _with_links(_inspect(found, tree, str(found)), found.parent, None)
    elif cache and (build or not (tree / "CMakeLists.txt").is_file()):
        if not build and not _makefile(tree):
            raise NumafyError(
                f"no compile database for {shown(tree)}: it has no {NAME}, no build*/{NAME}, no "
                "CMakeLists.txt and no Makefile; name the build folder with -p, or give "
                "--build CMD to be recorded"
            )
        with _locked(cache, progress):
            file = _record(tree, build or f"make -j{jobs}", environment(), progress)
            origin = f"recorded in a build of a copy ({build or 'make'})"
            yield _inspect(file, tree, origin)._replace(links=file.with_name(links.NAME))
    elif cache:
        with _locked(cache, progress):
            file = _cmake_export(tree, progress)
            database = _inspect(file, tree, f"cmake, configured in {file.parent}")
            yield _with_links(database, file.parent, cache)


def _with_links(database: Database, folder: Path, cache: Optional[Path]) -> Database:
    """Add the link commands that the build folder's files tell, kept where we may write."""
    if (folder / links.NAME).is_file():
        return database._replace(links=folder / links.NAME)
    found = links.of_build_folder(folder)
    if not found:
        return database
    file = (cache or cache_folder(folder)) / links.NAME
    write_atomically(file, dump_json(found))
    return database._replace(links=file)


def load(file: Path) -> List[Entry]:
    """Read and check a database; unchecked, it would end in a puzzling message later."""
    try:
        entries = read_json(file)
    except OSError as error:
        raise NumafyError(f"cannot read {shown(file)}: {error.strerror}") from error
    except ValueError as error:
        raise NumafyError(f"{shown(file)} is not JSON: {error}") from error
    if not isinstance(entries, list):
        raise NumafyError(
            f"{shown(file)} is not a compile database: an array of objects is expected"
        )
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict) or not all(
            isinstance(entry.get(key), str) for key in ("directory", "file")
        ):
            raise NumafyError(f'{shown(file)}: entry {index} has no "directory" or no "file"')
        if not isinstance(entry.get("command"), str) and not isinstance(
            entry.get("arguments"), list
        ):
            raise NumafyError(f'{shown(file)}: entry {index} has neither "command" nor "arguments"')
        # As numafy-rewrite reads it: a relative folder begins where the database is.
        entry["directory"] = os.path.join(real(file).parent, entry["directory"])
    if not entries:
        raise NumafyError(
            f"{shown(file)} is empty: nothing was compiled when it was made; "
            "make it from a clean build"
        )
    return entries


def source_of(entry: Entry) -> str:
    """The absolute path of an entry's main file."""
    return os.path.normpath(os.path.join(entry["directory"], entry["file"]))


def _inspect(file: Path, tree: Path, origin: str) -> Database:
    entries = load(file)
    sources = sorted({source_of(entry) for entry in entries})
    missing = [source for source in sources if not os.path.exists(source)]
    builds = _build_folders(tree)
    generated = [
        source
        for source in sources
        if source not in missing
        and (not is_inside(source, tree) or any(is_inside(source, folder) for folder in builds))
    ]
    if len(missing) == len(sources):
        raise NumafyError(
            f"{shown(origin)}: none of its {len(sources)} sources exists "
            f"(first: {shown(missing[0])}); "
            "the database is stale or of another tree"
        )
    return Database(file, origin, len(entries), generated, missing)


def _build_folders(tree: Path) -> List[Path]:
    """Folders of the tree that a build made: CMake's, meson's."""
    marks = ("CMakeCache.txt", "meson-info", "build.ninja")
    with contextlib.suppress(OSError):
        return [
            child
            for child in tree.iterdir()
            if child.is_dir()
            and not child.is_symlink()
            and any((child / mark).exists() for mark in marks)
        ]
    return []


# ---- a database that exists --------------------------------------------------------------------


def _given(path: Path) -> Path:
    if path.is_dir():
        if not (path / NAME).is_file():
            raise NumafyError(
                f"-p {shown(path)}: no {NAME} in it; for CMake configure with "
                "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
            )
        return path / NAME
    if path.is_file():
        return path
    raise NumafyError(f"-p {shown(path)}: no such file or folder")


def _in_tree(tree: Path) -> Optional[Path]:
    if (tree / NAME).is_file():
        return tree / NAME
    found = sorted(folder / NAME for folder in tree.glob("build*") if (folder / NAME).is_file())
    if len(found) > 1:
        names = ", ".join(shown(file.parent.name) for file in found)
        raise NumafyError(
            f"{shown(tree)} has {len(found)} compile databases ({names}): choose one with -p"
        )
    return found[0] if found else None


@contextlib.contextmanager
def _locked(folder: Path, progress: Progress) -> Iterator[None]:
    """Hold a tree's cache folder: a second run on the same tree waits for this one."""
    with open(folder / "lock", "wb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say(f"waiting for another run that uses {folder}")
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


# ---- CMake -------------------------------------------------------------------------------------


def _cmake_export(tree: Path, progress: Progress) -> Path:
    _need("cmake", "cmake", tree)
    folder = cache_folder(tree) / "cmake"
    log = folder.parent / "cmake.log"
    argv = ["cmake", "-S", str(tree), "-B", str(folder), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    with progress.step(f"configuring {tree} with CMake in {folder}"):
        code = runner.logged(argv, log, tick=progress.tick)
        if code and (folder / "CMakeCache.txt").exists():
            # A cache of another CMake, compiler or moved tree: the folder is ours, so start afresh.
            shutil.rmtree(folder)
            code = runner.logged(argv, log, tick=progress.tick)
    if code:
        raise NumafyError(
            f"cmake cannot configure {shown(tree)} (log: {shown(log)}); configure it yourself with "
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON and give -p",
            detail=runner.tail(log),
        )
    if not (folder / NAME).is_file():
        raise NumafyError(
            f"cmake wrote no {NAME} for {shown(tree)}: it has no compiled target, or a generator "
            "that "
            "does not export one"
        )
    return folder / NAME


# ---- a build, recorded -------------------------------------------------------------------------


def _makefile(tree: Path) -> bool:
    return any((tree / name).is_file() for name in ("GNUmakefile", "makefile", "Makefile"))


def _need(program: str, package: str, tree: Path) -> None:
    if not shutil.which(program):
        raise NumafyError(
            f"{shown(tree)} has no {NAME}, and {program} is not installed to make one: "
            f"apt-get install {package}, or name a build folder with -p"
        )


def _record(tree: Path, command: str, environment: Mapping[str, str], progress: Progress) -> Path:
    """Build a copy of the tree with recorders as compilers, and map what they saw to the tree.

    What was recorded of the same files by the same command is used again.
    """
    base = cache_folder(tree)
    before = _snapshot(tree)
    state = base / "recorded.json"
    key = _recording_key(before, command, environment)
    if _recorded_before(base, state, key):
        progress.say(f"the build of {tree} was recorded before: {command}")
        return base / NAME
    copy, log, scratch = (
        base / "copy" / (real(tree).name or "tree"),
        base / "record.log",
        base / "recording",
    )
    for folder in (base / "copy", scratch):
        shutil.rmtree(folder, ignore_errors=True)
    state.unlink(missing_ok=True)
    try:
        with progress.step(f"building a copy of {tree} to see its commands: {command}"):
            copy_tree(real(tree), copy)
            if _makefile(copy) and has_objects(copy):
                runner.logged(["make", "clean"], base / "clean.log", cwd=copy, tick=progress.tick)
            code = runner.logged(
                runner.shell(command),
                log,
                cwd=copy,
                env=record.environment(environment, scratch),
                tick=progress.tick,
            )
        if code:
            raise NumafyError(
                f"no compile database for {shown(tree)}: `{shown(command)}` failed in an "
                f"unchanged copy of it (log: {shown(log)}); name the folder of a finished build "
                "with -p",
                detail=runner.tail(log),
            )
        _keep_recording(record.commands(scratch), copy, real(tree), base, command)
    finally:
        for folder in (base / "copy", scratch):
            shutil.rmtree(folder, ignore_errors=True)
    if _snapshot(tree) != before:
        progress.say(
            f"warning: {tree} changed while its copy was built: `{command}` writes outside its "
            "folder"
        )
    else:
        write_atomically(state, dump_json({"key": key}))
    return base / NAME


def _keep_recording(
    recorded: List[record.Command], copy: Path, tree: Path, base: Path, command: str
) -> None:
    """Write the database and the link commands of a recorded build, as they read in the tree."""
    entries = [
        entry for entry in record.compilations(recorded) if os.path.exists(source_of(entry))
    ]
    if not entries:
        raise NumafyError(
            f"no compiler was seen in `{shown(command)}`: give --build CMD with a command that "
            f"compiles everything with CC and CXX (log: {shown(base / 'record.log')})",
            detail=runner.tail(base / "record.log"),
        )
    overlay = base / "generated"
    shutil.rmtree(overlay, ignore_errors=True)
    extra = _keep_generated(copy, tree, overlay)
    mapped = [map_entry(entry, copy, tree, overlay, extra) for entry in entries]
    for entry, original in zip(mapped, entries):
        if "output" in original:  # absolute: the folder of the command may be gone
            entry["output"] = mapped_path(_absolute_in(original, "output"), copy, tree, overlay)
    write_atomically(base / NAME, dump_json(sorted(mapped, key=_entry_key)))
    found = []
    for link in record.links(recorded):
        place = [os.path.realpath(os.path.join(link["directory"], name)) for name in link["inputs"]]
        found.append(
            {
                "directory": str(tree),
                "kind": link["kind"],
                "output": mapped_path(_absolute_in(link, "output"), copy, tree, overlay),
                "inputs": [mapped_path(name, copy, tree, overlay) for name in place],
            }
        )
    found.sort(key=lambda link: (link["output"], link["inputs"]))
    write_atomically(base / links.NAME, dump_json(found))


def _absolute_in(entry: Entry, key: str) -> str:
    return os.path.realpath(os.path.join(entry["directory"], entry[key]))


def mapped_path(path: str, copy: Path, tree: Path, overlay: Path) -> str:
    """An absolute path of the copy as it is in the tree, or among the kept generated files."""
    if not is_inside(path, copy):
        return path
    below = os.path.relpath(path, real(copy))
    return str(overlay / below if (overlay / below).is_file() else tree / below)


SHAPING = re.compile(r"(C|CXX|CPP|LD)FLAGS|CC|CXX|PATH|NUMAFY_REAL_(CC|CXX)|MAKEFLAGS|CMAKE_.*")


def _recording_key(
    files: Dict[str, Tuple[int, int]], command: str, environment: Mapping[str, str]
) -> str:
    """What a recording depends on: the tree's files, the command, what shapes a build."""
    shaping = sorted(item for item in environment.items() if SHAPING.fullmatch(item[0]))
    return sha256(os.fsencode(repr((RECORDING, sorted(files.items()), command, shaping))))


def _recorded_before(base: Path, state: Path, key: str) -> bool:
    try:
        known = read_json(state)["key"]
        kept = [base / NAME, base / links.NAME]
        return known == key and all(file.is_file() for file in kept)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _entry_key(entry: Entry) -> Tuple[str, str, List[str]]:
    """Parallel builds record in an order that differs from run to run."""
    return (entry["file"], entry.get("output", ""), entry["arguments"])


def copy_tree(source: Path, target: Path) -> None:
    """Copy a tree for a throw-away build: times and modes kept, no history, no special files.

    Nothing in the copy leads back into the original: absolute links into it are turned, and the
    folder's name in configured files is replaced.
    """
    try:
        target.mkdir(parents=True)
        _copy_folder(source, target, source, target)
    except OSError as error:
        raise NumafyError(
            f"cannot copy {shown(source)} to {shown(target)}: {error.strerror or error} "
            f"({shown(error.filename or '')})",
            EXIT_WRITE,
        ) from error


def _copy_folder(source: Path, target: Path, root: Path, new_root: Path) -> None:
    with os.scandir(source) as items:
        for item in sorted(items, key=lambda item: os.fsencode(item.name)):
            into = target / item.name
            if item.is_symlink():
                _copy_link(Path(item.path), into, root, new_root)
            elif item.is_dir():
                if item.name not in VERSION_CONTROL:
                    into.mkdir()
                    _copy_folder(Path(item.path), into, root, new_root)
            elif item.is_file():
                shutil.copy2(item.path, into)
                if CONFIGURED.fullmatch(item.name):
                    _retarget(into, root, new_root)
    shutil.copystat(source, target)
    os.chmod(target, stat.S_IMODE(os.stat(target).st_mode) | stat.S_IRWXU)


def _copy_link(link: Path, into: Path, root: Path, new_root: Path) -> None:
    goal = os.readlink(link)
    if os.path.isabs(goal) and is_inside(goal, root):
        goal = str(new_root / real(goal).relative_to(root))
    elif not os.path.isabs(goal) and not is_inside(link.parent / goal, root):
        goal = str(
            real(link.parent / goal)
        )  # relative to outside: would lead elsewhere from the copy
    os.symlink(goal, into)


def _retarget(file: Path, root: Path, new_root: Path) -> None:
    """Replace the tree's path in a configured file; its times stay, or make would reconfigure."""
    status = file.stat()
    if status.st_size > CONFIGURED_MAX_BYTES:
        return
    text = file.read_bytes()
    replaced = _path_pattern(root).sub(lambda _: os.fsencode(new_root), text)
    if replaced != text:
        os.chmod(file, status.st_mode | stat.S_IWUSR)
        file.write_bytes(replaced)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def _path_pattern(root: Path) -> "re.Pattern[bytes]":
    """The path in a text, alone or with something below it; not as the tail of a longer path."""
    options = (b"-I", b"-L", b"-B", b"-isystem", b"-iquote", b"-include", b"-rpath,")
    before = (
        rb"(?:(?<![\w.\-/])"
        + b"".join(rb"|(?<=" + re.escape(option) + rb")" for option in options)
        + rb")"
    )
    return re.compile(before + re.escape(os.fsencode(root)) + rb"(?![\w.\-])")


def has_objects(folder: Path) -> bool:
    """Whether something was compiled in this folder."""
    return any(name.endswith(OBJECT_SUFFIXES) for _, _, names in os.walk(folder) for name in names)


def _snapshot(tree: Path) -> Dict[str, Tuple[int, int]]:
    """Size and time of every file, to see that a build left the tree alone."""
    state = {}
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if name not in VERSION_CONTROL]
        for name in names:
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                state[path] = (status.st_size, status.st_mtime_ns)
    return state


def _keep_generated(copy: Path, tree: Path, overlay: Path) -> List[str]:
    """Keep the sources and headers that the build made, and return the folders to search for them.

    They are not the tree's, so they are never edited, but units that include them must still parse.
    Only generated files are kept: with a second copy of the tree's own headers on the search path a
    type could be defined twice.
    """
    kept: Set[str] = set()
    for folder, folders, names in os.walk(copy):
        folders[:] = [name for name in folders if name not in VERSION_CONTROL]
        below = os.path.relpath(folder, copy)
        for name in names:
            if name.endswith(HEADER_SUFFIXES + SOURCE_SUFFIXES) and not os.path.lexists(
                tree / below / name
            ):
                (overlay / below).mkdir(parents=True, exist_ok=True)
                shutil.copy2(
                    os.path.join(folder, name), overlay / below / name, follow_symlinks=True
                )
                kept.add(below)
    for below in kept:
        for file in (overlay / below).iterdir():
            _retarget_generated(file, copy, tree, overlay)
    return sorted(kept)


def _retarget_generated(file: Path, copy: Path, tree: Path, overlay: Path) -> None:
    """Includes of the copy's files, in a unity source or a header to precompile, name the tree's."""
    if not file.is_file() or file.stat().st_size > CONFIGURED_MAX_BYTES:
        return

    def moved(match: "re.Match[bytes]") -> bytes:
        kept = os.fsencode(overlay) + match.group(1)
        return kept if os.path.isfile(kept) else os.fsencode(tree) + match.group(1)

    text = file.read_bytes()
    pattern = re.escape(os.fsencode(copy)) + rb"(?![\w.\-])([^\"'<>\n]*)"
    replaced = re.sub(pattern, moved, text)
    if replaced != text:
        os.chmod(file, 0o644)
        file.write_bytes(replaced)


def map_entry(
    entry: Entry, copy: Path, tree: Path, overlay: Path, generated_in: List[str]
) -> Entry:
    """An entry of the copy's database as it would read in the tree.

    A folder with generated files is searched where the command searches the build's; all of them
    are searched last, for files that were found beside those that include them. That alone would
    make the tree's own declarations a library's: what -idirafter finds is a system header.
    """
    # The copy's path is one of a kind: it can be replaced also right behind letters, as in -I/path.
    pattern = re.compile(re.escape(os.fsencode(copy)) + rb"(?![\w.\-])")

    def mapped(text: str) -> str:
        return os.fsdecode(pattern.sub(lambda _: os.fsencode(tree), os.fsencode(text)))

    source = source_of(entry)
    result = {
        key: mapped(value)
        for key, value in entry.items()
        if isinstance(value, str) and key != "command"
    }
    if is_inside(source, copy) and (overlay / os.path.relpath(source, copy)).is_file():
        result["file"] = str(overlay / os.path.relpath(source, copy))
    arguments, searched = _map_arguments(entry, result["file"], copy, tree, overlay, mapped)
    if not os.path.isdir(
        result["directory"]
    ):  # a folder that the build made: it is gone with the copy
        arguments = _absolute(arguments, result["directory"])
        result["file"] = os.path.normpath(os.path.join(result["directory"], result["file"]))
        result["directory"] = str(tree)
    for folder in generated_in:
        for again in (overlay / folder, tree / folder):
            if os.path.normpath(again) not in searched:  # named twice, the first is forgotten
                arguments += ["-idirafter", os.path.normpath(again)]
    return {**result, "arguments": arguments}


def _map_arguments(
    entry: Entry,
    file: str,
    copy: Path,
    tree: Path,
    overlay: Path,
    mapped: Callable[[str], str],
) -> Tuple[List[str], Set[str]]:
    """The words of map_entry's command, and the folders of the tree and the overlay it searches."""
    arguments: List[str] = []
    searched: Set[str] = set()
    given = entry.get("arguments") or shlex.split(entry["command"])
    for before, argument in zip(["", *given], given):
        if argument.endswith(LINKED_SUFFIXES) and not argument.startswith("-") and before != "-o":
            continue  # an input of the linker, in a command that also links: gone with the copy
        path = os.path.normpath(os.path.join(entry["directory"], argument))
        kept = os.path.join(overlay, os.path.relpath(path, copy))
        if path == source_of(entry):
            arguments.append(file)
            continue
        if is_inside(path, copy) and not argument.startswith("-") and os.path.isfile(kept):
            arguments.append(kept)  # -include of a header that the build made
            continue
        arguments.append(mapped(argument))
        option, folder = _search_folder(before, argument)
        below = os.path.relpath(os.path.join(entry["directory"], folder), copy)
        if not option or below.startswith(os.pardir):
            continue
        searched.add(os.path.normpath(tree / below))
        if (overlay / below).is_dir():
            searched.add(os.path.normpath(overlay / below))
            arguments += [option, os.path.normpath(overlay / below)]
    return arguments, searched


def _search_folder(before: str, argument: str) -> Tuple[str, str]:
    """The option and the folder that it adds to the search path; empty texts for another word."""
    for option in SEARCH_OPTIONS:
        if before == option:
            return option, argument
        if argument.startswith(option) and argument != option:
            return option, argument[len(option) :]
    return "", ""


def _absolute(arguments: List[str], folder: str) -> List[str]:
    """The arguments with relative search paths and file names made absolute."""
    result: List[str] = []
    before = ""  # the last word but for -Xclang, which may stand before an option and its value
    for argument in arguments:
        option = next((option for option in PATH_OPTIONS if argument.startswith(option)), "")
        if argument in ("-Xclang", "-include-pch"):
            result.append(argument)
        elif option and argument != option:
            result.append(option + os.path.normpath(os.path.join(folder, argument[len(option) :])))
        elif before in (*PATH_OPTIONS, "-include-pch") or argument.endswith(SOURCE_SUFFIXES):
            result.append(os.path.normpath(os.path.join(folder, argument)))
        else:
            result.append(argument)
        before = before if argument == "-Xclang" else argument
    return result
