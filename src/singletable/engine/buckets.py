"""Buckets: a folder whose sub-folders stand for the buckets of S3, and that nothing leads out of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from singletable.errors import StoreRefused, invalid

OBJECTS_MAX = 50_000

_NOT_CONFIGURED = (
    "This engine has no buckets: name a folder whose sub-folders stand for them, with Engine(..., buckets=PATH) or "
    "singletable serve --buckets FOLDER"
)


class BucketFailure(Exception):  # it is caught by the export or import that it ends, and told as its failure
    """What a bucket refuses, by the code of the service."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(f"{code}: {message}")


class ObjectFile(NamedTuple):
    """A file that stands for an object, and its key in the bucket."""

    key: str
    path: Path


class Buckets:
    """The buckets of an engine; without a folder there are none."""

    def __init__(self, folder: Path | str | None) -> None:
        self._folder = None if folder is None else Path(folder).expanduser().resolve()
        if self._folder is not None and not self._folder.is_dir():
            raise StoreRefused(f"There is no folder {self._folder} for buckets.\n  Make it first, or look at the path.")

    def check(self, prefix: str | None) -> None:
        """Refuses what could not be done at all: no folder to do it in, or a prefix that is no path inside a bucket."""
        if self._folder is None:
            raise invalid(_NOT_CONFIGURED)
        _parts(prefix or "")

    def bucket(self, name: str) -> Path:
        """The folder of a bucket, which must be there, and not lead elsewhere."""
        assert self._folder is not None
        path = self._folder / name
        if path.parent != self._folder or path.resolve() != path or not path.is_dir():
            raise BucketFailure("S3NoSuchBucket", "The specified bucket does not exist")
        return path

    def make_folder(self, bucket: str, prefix: str) -> Path:
        """The folder of a prefix in a bucket, made where it is not there yet."""
        path = self.bucket(bucket)
        for part in _parts(prefix):
            path /= part
            if path.is_symlink() or (path.exists() and not path.is_dir()):
                raise BucketFailure("S3AccessDenied", f"{part!r} in {prefix!r} is not a folder inside the bucket")
            path.mkdir(exist_ok=True)
        return path

    def objects(self, bucket: str, prefix: str) -> list[ObjectFile]:
        """The files of a bucket whose keys begin with a prefix, in the order of their keys; no link is followed."""
        root = self.bucket(bucket)
        *folders, _ = prefix.split("/")
        top = root
        for part in _parts("/".join(folders)):
            top /= part
            if top.is_symlink():
                return []
        found = sorted(each for each in _files(root, top) if each.key.startswith(prefix))
        if len(found) > OBJECTS_MAX:
            raise BucketFailure("S3TooManyObjects", f"{len(found)} objects are more than {OBJECTS_MAX} for one import")
        return found

    def log_folder(self, identifier: str) -> Path | None:
        """Where the errors of an import are written: the folder is named as the service's group of logs is."""
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
    """The folders that a prefix names; refuses one that could lead out of its bucket, or name no file anywhere."""
    parts = [part for part in prefix.split("/") if part]
    for part in parts:
        if part in (".", "..") or any(character in '\\:*?"<>|' or ord(character) < 32 for character in part):
            raise invalid(
                f"One or more parameter values were invalid: the prefix {prefix!r} is no path inside a bucket that is "
                "a folder: leave '.' and '..', backslashes, colons and the like out of it"
            )
    return parts


def _files(root: Path, top: Path) -> Iterator[ObjectFile]:
    for folder, _, names in os.walk(top, followlinks=False):
        for name in names:
            path = Path(folder) / name
            if path.is_file() and not path.is_symlink():
                yield ObjectFile(path.relative_to(root).as_posix(), path)
