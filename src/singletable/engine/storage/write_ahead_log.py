"""The write-ahead log of a store as a file: how much is in it, and getting it onto the disk.

SQLite puts no lock on the log, so it may be opened and closed here. The database file must not be: closing any
descriptor of it would drop the locks that SQLite holds for the whole process.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from singletable.engine.storage.layout import PAGE_BYTES

# A checkpoint costs three flushes and writes each page once, however often it is in the log; so it should be rare. A
# long log costs disk and, after a crash, the time to read it again: a tenth of a second for these 64 MB.
CHECKPOINT_FRAMES = 8000

_HEADER_BYTES = 32
_SALTS_AT = 16
_FRAME_BYTES = 24 + PAGE_BYTES
_FRAME_SALTS_AT = 8
_SALTS_BYTES = 8


class WriteAheadLog:
    """The log beside a database that is open."""

    def __init__(self, database: Path) -> None:
        self.descriptor = os.open(f"{database}-wal", os.O_RDWR | getattr(os, "O_BINARY", 0))
        self._salts = b""
        self._due_at = CHECKPOINT_FRAMES

    def is_long(self) -> bool:
        """Whether a checkpoint is due. Only for one thread at a time: the one that writes.

        SQLite tells the length of the log to C programs alone, so it is asked of the file: a frame belongs to the log
        if it carries the salts of the log's header, which change whenever the log begins anew at its start.
        """
        salts = self._read(_SALTS_AT)
        if salts != self._salts:
            self._salts = salts
            self._due_at = CHECKPOINT_FRAMES
        due_frame = _HEADER_BYTES + (self._due_at - 1) * _FRAME_BYTES
        return salts != b"" and self._read(due_frame + _FRAME_SALTS_AT) == salts

    def checkpointed(self, frames: int) -> None:
        """Notes that a log of so many frames was moved into the database, as far as its readers let it be."""
        self._due_at = frames + CHECKPOINT_FRAMES

    def sync(self) -> None:
        """Returns when everything that is in the log now survives the loss of power."""
        if sys.platform == "darwin":
            import fcntl

            fcntl.fcntl(self.descriptor, fcntl.F_FULLFSYNC)  # fsync leaves it in the disk's own memory there
        elif hasattr(os, "fdatasync"):
            os.fdatasync(self.descriptor)
        else:
            os.fsync(self.descriptor)

    def close(self) -> None:
        """Lets go of the file, before SQLite removes it."""
        os.close(self.descriptor)

    def _read(self, offset: int) -> bytes:
        os.lseek(self.descriptor, offset, os.SEEK_SET)
        return os.read(self.descriptor, _SALTS_BYTES)


def sync_folder(folder: Path) -> None:
    """Returns when the names in a folder survive the loss of power."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
