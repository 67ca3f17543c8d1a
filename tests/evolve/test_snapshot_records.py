"""Snapshot files: malformed ones, unknown members and those of later releases are rejected."""

from __future__ import annotations

import json

import pytest

from singletable import SnapshotRefused
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.snapshot_records import FORMAT, read_snapshot, to_json
from tests.evolve.models import Native


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not a snapshot: "),
        ("[]", "it has no format number"),
        ('{"format": "1"}', "it has no format number"),
        (json.dumps({"format": FORMAT + 1}), f"has the snapshot format {FORMAT + 1}, but this release reads"),
        (json.dumps({"format": FORMAT}), "is not a valid snapshot: Object missing required field"),
    ],
)
def test_a_malformed_snapshot_is_rejected(text: str, message: str) -> None:
    with pytest.raises(SnapshotRefused, match=message):
        read_snapshot(text, "old.json")


def test_an_unknown_member_of_a_snapshot_is_rejected() -> None:
    document = json.loads(to_json(snapshot_of(Native.design)))
    document["entities"]["Event"]["compressed"] = True
    with pytest.raises(SnapshotRefused, match="unknown field `compressed`"):
        read_snapshot(json.dumps(document), "old.json")
