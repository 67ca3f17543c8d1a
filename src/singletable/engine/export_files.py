"""The files of an export, as the service lays them out in a bucket: data, and two manifests with their checksums."""

from __future__ import annotations

import base64
import gzip
import hashlib
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

# So much text goes into one file, however well it can be compressed.
FILE_BYTES = 64 * 2**20
_COMPRESSION = 6


class DataFile(NamedTuple):
    """A file of an export as its manifest tells it."""

    key: str
    items: int
    md5: bytes


class _Checked:
    """A file that is written, with the checksum of what was."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.md5 = hashlib.md5(usedforsecurity=False)

    def write(self, part: bytes) -> int:
        self.md5.update(part)
        return self._file.write(part)

    def flush(self) -> None:
        self._file.flush()


class DataFiles:
    """Lines in as many compressed files as they need, at least one, even when there are no lines."""

    def __init__(self, folder: Path, key_prefix: str, suffix: str) -> None:
        self._folder = folder
        self._key_prefix = key_prefix
        self._suffix = suffix
        self._lines: list[bytes] = []
        self._size = 0
        self.written: list[DataFile] = []

    def add(self, lines: Iterable[bytes]) -> None:
        """Adds lines; a file is written when it is full."""
        for line in lines:
            self._lines.append(line)
            self._size += len(line)
        if self._size >= FILE_BYTES:
            self._write()

    def end(self) -> list[DataFile]:
        """Writes the last file, and returns all of them."""
        if self._lines or not self.written:
            self._write()
        return self.written

    def _write(self) -> None:
        name = f"{secrets.token_hex(13)}.{self._suffix}.gz"
        # `x`: nothing that is there is written over, and no link is followed.
        with (self._folder / name).open("xb") as file:
            checked = _Checked(file)
            # Without a name and a time in it, the same items make the same bytes.
            with gzip.GzipFile("", "wb", _COMPRESSION, checked, mtime=0) as compressed:
                compressed.writelines(self._lines)
        self.written.append(DataFile(f"{self._key_prefix}{name}", len(self._lines), checked.md5.digest()))
        self._lines, self._size = [], 0


def write_manifest_files(folder: Path, files: Iterable[DataFile]) -> None:
    """The list of the data files, one a line."""
    lines = [
        msgspec.json.encode(
            {
                "itemCount": file.items,
                "md5Checksum": base64.b64encode(file.md5).decode(),
                "etag": f"{file.md5.hex()}-1",
                "dataFileS3Key": file.key,
            }
        )
        for file in files
    ]
    _write_with_checksum(folder, "manifest-files", b"".join(line + b"\n" for line in lines))


def write_manifest_summary(folder: Path, summary: dict[str, Any]) -> None:
    """What the export is; it is written last, so that an export with a summary is whole."""
    _write_with_checksum(folder, "manifest-summary", msgspec.json.encode(summary))


def _write_with_checksum(folder: Path, name: str, content: bytes) -> None:
    checksum = base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest())
    for suffix, part in (("md5", checksum), ("json", content)):
        with (folder / f"{name}.{suffix}").open("xb") as file:
            file.write(part)


def iso(moment: float) -> str:
    """A time as the manifests tell it."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
