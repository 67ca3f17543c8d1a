"""Changed source files: edits applied to the texts in memory, their diff, and writing the files."""

from __future__ import annotations

import difflib
import io
import os
import tempfile
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from singletable.cli.source_edits import EditNotPossible, edit_source
from singletable.planner.remedy import Edit


@dataclass(frozen=True)
class ChangedFiles:
    """The texts of files before and after edits, by path."""

    before: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The paths of the files, relative to the current folder."""
        return tuple(os.path.relpath(path) for path in self.after)

    def edited(self, edits: Iterable[Edit]) -> ChangedFiles:
        """Return the files after further edits. Raise EditNotPossible if an edit does not fit the source."""
        edits = tuple(edits)
        before, after = dict(self.before), dict(self.after)
        for path in dict.fromkeys(edit.place.location.file for edit in edits):
            if path not in after:
                before[path] = after[path] = _read(path)
            after[path] = edit_source(after[path], [edit for edit in edits if edit.place.location.file == path])
        return ChangedFiles(before, after)

    def diff(self) -> str:
        """Return the changes of all files as a unified diff."""
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for path in self.after
            for line in difflib.unified_diff(
                self.before[path].splitlines(keepends=True),
                self.after[path].splitlines(keepends=True),
                os.path.relpath(path),
                os.path.relpath(path),
            )
        )

    def write(self) -> None:
        """Replace each file atomically, in its own encoding."""
        for path, text in self.after.items():
            _replace(Path(path).resolve(), text)


def _read(path: str) -> str:
    try:
        data = Path(path).read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (OSError, SyntaxError, UnicodeDecodeError) as problem:
        raise EditNotPossible(f"{path} cannot be read: {problem}") from problem


def _replace(target: Path, text: str) -> None:
    with target.open("rb") as file:
        encoding, _ = tokenize.detect_encoding(file.readline)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode(encoding))
            os.fsync(file.fileno())
        Path(name).chmod(target.stat().st_mode & 0o777)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
