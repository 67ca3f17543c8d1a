"""S3 buckets for exports and imports. They are subfolders of one folder, and no path or link can leave this folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from singletable.errors import StoreRefused, invalid

OBJECTS_MAX = 50_000

_NOT_CONFIGURED = (
    "This engine has no buckets: pass a folder whose subfolders act as buckets, with Engine(..., buckets=PATH) or "
    "singletable serve --buckets FOLDER"
)


class BucketFailure(Exception):  # internal exception: an export or import catches it and reports its failure
    """A failed operation on a bucket, with the error code that S3 would return."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(f"{code}: {message}")


class ObjectFile(NamedTuple):
    """The file that holds an object, and the key of the object in its bucket."""

    key: str
    path: Path


class Buckets:
    """The buckets of an engine. Without a folder, there are none."""

    def __init__(self, folder: Path | str | None) -> None:
        self._folder = None if folder is None else Path(folder).expanduser().resolve()
        if self._folder is not None and not self._folder.is_dir():
            raise StoreRefused(
                f"There is no folder {self._folder} for buckets.\n  Create the folder, or correct the path."
            )

    def check(self, prefix: str | None) -> None:
        """Reject a request if there is no folder, or if the prefix is not a valid path."""
        if self._folder is None:
            raise invalid(_NOT_CONFIGURED)
        _parts(prefix or "")

    def bucket(self, name: str) -> Path:
        """Return the folder of a bucket. It must exist and must not be a link."""
        assert self._folder is not None
        path = self._folder / name
        if path.parent != self._folder or path.resolve() != path or not path.is_dir():
            raise BucketFailure("S3NoSuchBucket", "The specified bucket does not exist")
        return path

    def make_folder(self, bucket: str, prefix: str) -> Path:
        """Return the folder of a prefix in a bucket; create it if needed."""
        path = self.bucket(bucket)
        for part in _parts(prefix):
            path /= part
            if path.is_symlink() or (path.exists() and not path.is_dir()):
                raise BucketFailure("S3AccessDenied", f"{part!r} in {prefix!r} is not a folder inside the bucket")
            path.mkdir(exist_ok=True)
        return path

    def objects(self, bucket: str, prefix: str) -> list[ObjectFile]:
        """Return the files of all objects whose key starts with the prefix, in key order. Links are not followed."""
        root = self.bucket(bucket)
        *folders, _ = prefix.split("/")
        top = root
        for part in _parts("/".join(folders)):
            top /= part
            if top.is_symlink():
                return []
        found = sorted(each for each in _files(root, top) if each.key.startswith(prefix))
        if len(found) > OBJECTS_MAX:
            raise BucketFailure(
                "S3TooManyObjects", f"an import can read at most {OBJECTS_MAX} objects, not {len(found)}"
            )
        return found

    def log_folder(self, identifier: str) -> Path | None:
        """Return the folder for the error log of an import, named like the log group in CloudWatch."""
        if self._folder is None:
            return None
        path = self._folder
        for part in ("aws-dynamodb", "imports", identifier):
            path /= part
            if path.is_symlink():
                return None
            path.mkdir(exist_ok=True)
        return path


def _parts(prefix: str) -> list[str]:
    """Return the folder names in a prefix. Reject a prefix that could leave the bucket or is not portable."""
    parts = [part for part in prefix.split("/") if part]
    for part in parts:
        if part in (".", "..") or any(character in '\\:*?"<>|' or ord(character) < 32 for character in part):
            raise invalid(
                f"One or more parameter values were invalid: the prefix {prefix!r} is not a valid path in a folder: "
                "remove '.', '..' and the characters \\ : * ? \" < > |"
            )
    return parts


def _files(root: Path, top: Path) -> Iterator[ObjectFile]:
    for folder, _, names in os.walk(top, followlinks=False):
        for name in names:
            path = Path(folder) / name
            if path.is_file() and not path.is_symlink():
                yield ObjectFile(path.relative_to(root).as_posix(), path)
