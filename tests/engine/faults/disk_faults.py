"""Faults of the disk below SQLite: failing system calls, and the content of the disk after a power failure.

SQLite lets a program replace its system calls (`xSetSystemCall` of its VFS). The replacements here are Python functions
that fail at the n-th call, or record what is written, when it is flushed and what a power failure could leave of it.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import errno
import os
import random
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from singletable.engine.storage.write_ahead_log import WriteAheadLog

SECTOR_BYTES = 512
_WRITES = ("pwrite64", "pwrite", "write")
_READS = ("pread64", "pread", "read")


class _Vfs(ctypes.Structure):
    """The beginning of `sqlite3_vfs`, up to the functions that replace system calls."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("file_bytes", ctypes.c_int),
        ("path_bytes", ctypes.c_int),
        ("following", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("methods", ctypes.c_void_p * 13),
        ("set_system_call", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)),
        ("get_system_call", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)),
    )


_CALL_AT = ctypes.CFUNCTYPE(
    ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, use_errno=True
)
_CALL = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, use_errno=True)

BeforeCall = Callable[[bool, str, int, bytes], int]
"""Receives whether a call writes, the path, the offset and the bytes to write; returns an error number, or 0."""


def _vfs() -> tuple[Any, int]:
    library = ctypes.CDLL(_sqlite3.__file__)
    library.sqlite3_vfs_find.restype = ctypes.c_void_p
    library.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
    address = library.sqlite3_vfs_find(None)
    return ctypes.cast(address, ctypes.POINTER(_Vfs)).contents, address


def is_available() -> bool:
    """Return whether the system calls of this build of SQLite can be replaced."""
    try:
        vfs, address = _vfs()
        return vfs.version >= 3 and bool(vfs.get_system_call(address, b"pwrite64"))
    except (OSError, AttributeError, ValueError):
        return False


@contextmanager
def system_calls(before: BeforeCall) -> Generator[None, None, None]:
    """Call a function before each read and write of SQLite."""
    vfs, address = _vfs()
    kept: list[Any] = []
    for name in (*_WRITES, *_READS):
        original = vfs.get_system_call(address, name.encode())
        if original:
            replacement = _replacement(name, original, before)
            kept.append(replacement)
            vfs.set_system_call(address, name.encode(), ctypes.cast(replacement, ctypes.c_void_p))
    try:
        yield
    finally:
        for name in (*_WRITES, *_READS):
            vfs.set_system_call(address, name.encode(), None)
        kept.clear()


def _replacement(name: str, original: int, before: BeforeCall) -> Any:
    has_offset, writes = name.startswith("p"), name in _WRITES
    kind = _CALL_AT if has_offset else _CALL
    call = kind(original)

    def replaced(descriptor: int, data: int, length: int, *offset: int) -> int:
        at = offset[0] if offset else os.lseek(descriptor, 0, os.SEEK_CUR)
        problem = before(writes, _path(descriptor), at, ctypes.string_at(data, length) if writes else b"")
        if problem:
            ctypes.set_errno(problem)
            return -1
        result: int = call(descriptor, data, length, *offset)
        return result

    return kind(replaced)


def _path(descriptor: int) -> str:
    return str(Path(f"/proc/self/fd/{descriptor}").readlink())


class FailingCalls:
    """Fails the n-th call, and each call after it until `stop`, if `is_lasting`."""

    def __init__(self) -> None:
        self._left = 0
        self._is_lasting = False
        self.failed = 0

    def start(self, at: int, *, is_lasting: bool) -> None:
        self._left, self._is_lasting = at, is_lasting

    def stop(self) -> None:
        self._left = 0

    def __call__(self, writes: bool, path: str, offset: int, data: bytes) -> int:
        if self._left == 0:
            return 0
        if self._left > 1:
            self._left -= 1
            return 0
        if not self._is_lasting:
            self._left = 0
        self.failed += 1
        return errno.ENOSPC if writes and self.failed % 2 else errno.EIO


@dataclass
class RecordedDisk:
    """What a store writes, and the flushes between the writes."""

    path: Path
    base: dict[str, bytes] = field(default_factory=dict)
    """The content of the files before the first recorded write, which is on disk."""
    writes: list[tuple[str, int, bytes]] = field(default_factory=list)
    flushes: list[tuple[int, str, int]] = field(default_factory=list)
    """When a flush ended, the file, and the number of writes that it includes."""

    def begin(self) -> None:
        """Take what the files contain as the content of the disk."""
        self.writes.clear()
        self.flushes.clear()
        self.base = {path: Path(path).read_bytes() for path in (str(self.path), self.log)}

    @property
    def log(self) -> str:
        return f"{self.path}-wal"

    def __call__(self, writes: bool, path: str, offset: int, data: bytes) -> int:
        if writes and path in (str(self.path), self.log):
            if path == str(self.path):  # SQLite flushes the log before it moves pages to the database
                self.flushed(self.log, len(self.writes))
            elif offset == 0:  # SQLite flushes the database before it restarts the log
                self.flushed(str(self.path), len(self.writes))
            self.writes.append((path, offset, data))
        return 0

    def flushed(self, path: str, included: int) -> None:
        self.flushes.append((len(self.writes), path, included))

    @contextmanager
    def recording(self) -> Generator[None, None, None]:
        """Record the writes of SQLite and the flushes of the log, of a store that is opened in this block."""
        disk, sync, extend = self, WriteAheadLog.sync, WriteAheadLog.extend

        def recorded_sync(log: WriteAheadLog) -> None:
            included = len(disk.writes)
            sync(log)
            disk.flushed(str(log.path), included)

        def recorded_extend(log: WriteAheadLog) -> None:
            end = log.path.stat().st_size
            extend(log)
            disk.writes.append((str(log.path), end, bytes(log.path.stat().st_size - end)))

        with (
            mock.patch.object(WriteAheadLog, "sync", recorded_sync),
            mock.patch.object(WriteAheadLog, "extend", recorded_extend),
            system_calls(self),
        ):
            yield

    def after_power_failure(self, at: int, folder: Path, chance: random.Random) -> Path:
        """Write the files as a power failure after this many writes may leave them; return the path of the store."""
        folder.mkdir()
        for path in (str(self.path), self.log):
            content = bytearray(self.base[path])
            safe = max(
                (included for time, flushed, included in self.flushes if flushed == path and time <= at), default=0
            )
            loses = chance.random()
            for number, (written, offset, data) in enumerate(self.writes[:at]):
                if written == path:
                    _write(content, offset, data, chance if number >= safe else None, loses)
            (folder / Path(path).name).write_bytes(content)
        return folder / self.path.name


def _write(content: bytearray, offset: int, data: bytes, chance: random.Random | None, loses: float) -> None:
    """Apply a write, or, if it was not flushed, only some of its sectors."""
    for start in range(offset - offset % SECTOR_BYTES, offset + len(data), SECTOR_BYTES):
        if chance is not None and chance.random() < loses:
            continue
        begin, end = max(start, offset), min(start + SECTOR_BYTES, offset + len(data))
        if len(content) < end:
            content.extend(bytes(end - len(content)))
        content[begin:end] = data[begin - offset : end - offset]
