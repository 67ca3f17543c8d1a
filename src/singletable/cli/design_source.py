"""Designs from four sources: a model, a snapshot file, a git revision of a model, or a live table."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.errors import ArgumentRefused, ModelNotLoaded, without_secrets

if TYPE_CHECKING:
    from singletable.evolve.snapshot_records import Snapshot

_URL = re.compile(r"(file:|https?://|dynamodb://)")
_REVISION = re.compile(r"(?P<revision>[^:]+):(?P<path>[^:]+\.py)(?P<table>:\w+)?")
GIT_SECONDS_MAX = 60


@dataclass(frozen=True)
class DesignSource:
    """A design and the description of its source."""

    place: str
    snapshot: Snapshot
    is_described: bool = False
    """Whether the design comes from DescribeTable, which does not show the entities."""


def is_url(place: str) -> bool:
    """Return whether a place is the URL of a live table."""
    return _URL.match(place) is not None


def read_design(place: str) -> DesignSource:
    """Return the design of a model, a snapshot file or a git revision."""
    if place.endswith(".json"):
        return DesignSource(place, _of_file(place))
    if (found := _REVISION.fullmatch(place)) and not Path(found["revision"]).is_file():
        return DesignSource(place, _of_revision(place, found["revision"], found["path"], found["table"] or ""))
    from singletable.cli.load_model import load_table
    from singletable.evolve.design_snapshot import snapshot_of

    return DesignSource(place, snapshot_of(load_table(place).design))


def read_live_design(url: str, name: str, model: Snapshot) -> DesignSource:
    """Return the design of a live table, as far as DescribeTable shows it. `model` provides the entities."""
    from singletable.cli.live_table import connect, describe, ttl_attribute
    from singletable.evolve.described_table import described_snapshot

    with connect(url) as requests:
        description = describe(requests, name)
        found = described_snapshot(model, description, ttl_attribute(requests, name))
    return DesignSource(f"{without_secrets(url)} table {name}", found, is_described=True)


def _of_file(place: str) -> Snapshot:
    from singletable.evolve.snapshot_records import read_snapshot

    try:
        text = Path(place).read_bytes()
    except OSError as problem:
        raise ArgumentRefused(f"cannot read {place}: {problem.strerror}") from None
    return read_snapshot(text, place)


def _of_revision(place: str, revision: str, path: str, table: str) -> Snapshot:
    """Return the design of a model in a git revision, loaded from a copy of the whole tree in a separate process."""
    from singletable.evolve.snapshot_records import read_snapshot

    if revision.startswith("-"):
        raise ModelNotLoaded(f"{place}: {revision!r} is not a git revision")
    prefix = _git(place, "rev-parse", "--show-prefix").decode().strip()
    top = Path(_git(place, "rev-parse", "--show-toplevel").decode().strip())
    try:
        _git(place, "rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")
    except ModelNotLoaded:
        raise ModelNotLoaded(
            f"{place}: git has no revision {revision!r}; write HEAD, HEAD~1, a branch, a tag or a commit"
        ) from None
    tree = _git(place, "-C", str(top), "archive", "--format=tar", revision)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(tree)) as archive:
            archive.extractall(folder, filter="data")
        here = Path(folder, prefix)
        if not (here / path).is_file():
            raise ModelNotLoaded(f"{place}: revision {revision} has no file {path}")
        command = [sys.executable, "-m", "singletable", "snapshot", f"{path}{table}"]
        finished = subprocess.run(command, cwd=here, capture_output=True, check=False)  # noqa: S603  # our own command
    if finished.returncode:
        raise ModelNotLoaded(f"{place}: {finished.stderr.decode(errors='replace').strip()}")
    return read_snapshot(finished.stdout, place)


def _git(place: str, *arguments: str) -> bytes:
    command = ["git", *arguments]
    try:
        finished = subprocess.run(  # noqa: S603  # arguments are a fixed command and a revision, without a shell
            command, capture_output=True, check=False, timeout=GIT_SECONDS_MAX
        )
    except FileNotFoundError:
        raise ModelNotLoaded(f"{place}: reading a revision needs git, which is not installed") from None
    if finished.returncode:
        reason = finished.stderr.decode(errors="replace").strip().splitlines() or ["git failed"]
        raise ModelNotLoaded(f"{place}: {reason[0].removeprefix('fatal: ')}")
    return finished.stdout
