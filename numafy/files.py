# SPDX-License-Identifier: Apache-2.0
"""Files: writes that are whole or not at all, names that are safe to print, containment of folders.

File names are bytes on this system. Python holds those that are not UTF-8 with surrogate escapes,
and everything here keeps them intact; only ``shown`` changes a name, for people's eyes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Iterator, Union

from .errors import EXIT_WRITE, NumafyError

AnyPath = Union[str, "os.PathLike[str]"]


def shown(path: AnyPath) -> str:
    """A file name as it may be printed: one line, no control characters, no undecodable bytes."""
    text = os.fspath(path)
    return "".join(_shown_char(char) for char in text)


def _shown_char(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, surrogate-escaped
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x20 or code == 0x7F:
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, f"\\x{code:02x}")
    return char


def write_atomically(path: AnyPath, data: bytes, mode: int = 0o666) -> None:
    """Write ``data`` to ``path`` through a temporary file beside it: readers see old or new.

    ``mode`` is subject to the umask, as for a file opened the usual way. Raises NumafyError
    (EXIT_WRITE).
    """
    target = Path(path)
    temporary = ""
    try:
        descriptor, temporary = tempfile.mkstemp(
            prefix=f".{target.name[:64]}.", suffix=".tmp", dir=target.parent
        )
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, mode & ~_umask())
        os.replace(temporary, target)
    except BaseException as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        if isinstance(error, OSError):
            raise NumafyError(
                f"cannot write {shown(target)}: {error.strerror}", EXIT_WRITE
            ) from error
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_json(path: AnyPath) -> Any:
    """Parse a JSON file whose strings are mostly file names. Raises OSError and ValueError.

    The text is decoded as file names are, in any locale, so that a name in it opens the file of
    these very bytes.
    """
    return json.loads(os.fsdecode(Path(path).read_bytes()))


def dump_json(value: Any) -> bytes:
    """The inverse of read_json: the bytes of a name come out as they went in."""
    return os.fsencode(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def real(path: AnyPath) -> Path:
    """The path with symbolic links resolved; its last components need not exist."""
    return Path(os.path.realpath(path))


def is_inside(path: AnyPath, folder: AnyPath) -> bool:
    """True when ``path`` is ``folder`` or below it, links resolved."""
    inner, outer = real(path), real(folder)
    return inner == outer or outer in inner.parents


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A folder that is gone afterwards, also after Ctrl-C. Its path has no symbolic links."""
    folder = real(tempfile.mkdtemp(prefix=prefix))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def cache_folder(tree: AnyPath) -> Path:
    """A folder for what is derived from ``tree`` and may be reused; always the same for a tree.

    ``$XDG_CACHE_HOME/numafy/NAME-HASH``; without a usable cache the system's temporary folder. The
    name is stable, so that two runs give the rewriter the same arguments and therefore the same
    manifest.
    """
    resolved = real(tree)
    label = "".join(
        char if char.isascii() and (char.isalnum() or char in "._-") else "_"
        for char in resolved.name
    )
    name = f"{label[:40] or 'root'}-{sha256(os.fsencode(resolved))[:12]}"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    for base in (
        os.path.join(home, "numafy"),
        os.path.join(tempfile.gettempdir(), f"numafy-{os.getuid()}"),
    ):
        folder = real(base) / name
        if not os.path.isabs(base) or is_inside(folder, resolved):
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if os.access(folder, os.W_OK | os.X_OK) and folder.stat().st_uid == os.getuid():
                return folder
        except OSError:
            continue
    raise NumafyError(
        "no folder for temporary results: set XDG_CACHE_HOME to one that can be written", EXIT_WRITE
    )
