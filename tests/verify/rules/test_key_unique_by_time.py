"""Keys that only a time or a score makes unique, and keys that only look like it."""

import ast
import re
from collections.abc import Sequence
from dataclasses import make_dataclass
from datetime import date, datetime
from typing import Any

import pytest

from singletable import Table, entity
from singletable.verify.design_check import check
from singletable.verify.findings import Finding


def findings(
    name: str, key: tuple[str, str], fields: dict[str, Any], identity: Sequence[str] | None = None
) -> list[Finding]:
    declared = entity(key=key, identity=identity)(make_dataclass(name, list(fields.items())))

    class Things(Table, entities=[declared]):
        pass

    return [finding for finding in check(Things.design).findings if finding.code == "ST119"]


@pytest.mark.parametrize(
    ("name", "key", "fields"),
    [
        ("Reading", ("D#{device}", "{at}"), {"device": str, "at": datetime}),
        ("Reading", ("D#{device}", "{kind}#{at}"), {"device": str, "kind": str, "at": datetime}),
        ("Score", ("G#{game}", "{points:06d}"), {"game": str, "points": int}),
        ("Score", ("G#{game}", "{ratio}"), {"game": str, "ratio": float}),
        ("Line", ("C#{customer}", "{day}"), {"customer": str, "day": date, "order_id": str}),
        ("AuditLog", ("C#{customer}", "{day}"), {"customer": str, "day": date}),
        (
            "Transaction",
            ("ACC#{account_id}", "{branch}#{ts}"),
            dict.fromkeys(("account_id", "branch", "ts", "trans_id"), str),
        ),
        ("Tick", ("T#{at}", "TICK"), {"at": datetime}),
        ("DeviceLog", ("D#{device_log_id}", "{state}#{day}"), {"device_log_id": str, "state": str, "day": date}),
    ],
)
def test_a_time_or_score_alone_does_not_make_a_key_unique(name: str, key: tuple[str, str], fields: Any) -> None:
    assert findings(name, key, fields)


@pytest.mark.parametrize(
    ("name", "key", "fields"),
    [
        ("Reading", ("D#{device}", "{at}#{message_id}"), {"device": str, "at": datetime, "message_id": str}),
        ("Reading", ("D#{device}", "{sensor}#{at}"), {"device": str, "sensor": str, "at": datetime}),
        ("DailyTotal", ("D#{device}", "{day}"), {"device": str, "day": date, "total": int}),
        ("Booking", ("ROOM#{room}", "{start_time}"), {"room": str, "start_time": datetime}),
        ("Line", ("ORDER#{order}", "{line:03d}"), {"order": str, "line": int}),
        ("Version", ("DOC#{doc}", "{version:06d}"), {"doc": str, "version": int, "saved_at": datetime}),
        ("Order", ("ORDER#{id}", "{at}"), {"id": str, "at": datetime}),
    ],
)
def test_ids_numbers_and_chosen_times_make_a_key_unique(name: str, key: tuple[str, str], fields: Any) -> None:
    assert not findings(name, key, fields)


@pytest.mark.parametrize(
    ("name", "key", "fields"),
    [
        ("Reading", ("D#{device}", "{at}"), {"device": str, "at": datetime}),
        ("Score", ("G#{game}", "{points:06d}"), {"game": str, "points": int, "player_id": str}),
        ("Tick", ("T#{at}", "TICK#"), {"at": datetime}),
    ],
)
def test_the_key_of_the_remedy_ends_the_finding_of_a_key_unique_by_time(
    name: str, key: tuple[str, str], fields: Any
) -> None:
    (finding,) = findings(name, key, fields)
    proposed = re.search(r"(?:Set|Declare) key=(\(.*?\))(?:, so that| in @entity)", str(finding.remedy))
    assert proposed is not None
    added = {"id": str} if str(finding.remedy).startswith("Add the field id: str") else {}
    assert findings(name, ast.literal_eval(proposed[1]), {**fields, **added}) == []


def test_a_declared_identity_ends_the_finding_of_a_key_unique_by_time() -> None:
    fields = {"device": str, "at": datetime}
    assert findings("Reading", ("D#{device}", "{at}"), fields)
    assert not findings("Reading", ("D#{device}", "{at}"), fields, identity=("device", "at"))


def test_the_remedy_for_a_key_unique_by_time_adds_an_id_that_the_partition_does_not_contain() -> None:
    """All items of a partition have the same id of the partition, so it does not make their keys unique."""
    (finding,) = findings("Comment", ("S#{id}", "C#{sent_at}"), {"id": str, "sent_at": datetime})
    assert 'key=("S#{id}", "C#{sent_at}#{comment_id}")' in str(finding.remedy)
