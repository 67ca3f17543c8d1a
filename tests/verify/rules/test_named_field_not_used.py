"""Indexes whose names list fields that their keys lack."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from singletable import GSI, Table, entity, get, native, pattern
from singletable.verify.design_check import check


@entity(key=("USER#{user_id}", "CERTIFICATE#{course_id}"))
@dataclass
class Certificate:
    user_id: str
    course_id: str
    verification_code: str


@pytest.mark.parametrize(
    ("name", "lacks"),
    [
        ("owner-priority-index", ["priority"]),
        ("owner-title-index", []),
        ("priority-index", []),
        ("gsi_by_owner", []),
        ("team-priority-index", []),
    ],
)
def test_the_named_field_rule_accepts_an_index_named_after_the_fields_that_it_contains(
    name: str, lacks: list[str]
) -> None:
    @entity(key=("TASK#{id}", "TASK"), gsi1=(native("owner"), native("title")))
    @dataclass
    class Task:
        id: str
        owner: str
        title: str
        priority: int

    class Tasks(Table, entities=[Task], indexes=[GSI("gsi1", name=name, keys=("owner", "title"))]):
        pass

    found = [finding.message for finding in check(Tasks.design).findings if finding.code == "ST127"]
    assert [message.rpartition(" lacks ")[2] for message in found] == lacks


def test_the_named_field_rule_reports_a_description_that_names_another_field() -> None:
    class Courses(Table, entities=[Certificate]):
        @pattern()
        def verify(self, user_id: str, course_id: str) -> Certificate | None:
            """Verify a certificate by verification code."""
            return get(Certificate)

        @pattern()
        def certificate(self, user_id: str, course_id: str) -> Certificate | None:
            """Get a certificate by user id and course id."""
            return get(Certificate)

    found = [finding.subject for finding in check(Courses.design).findings if finding.code == "ST127"]
    assert found == ["verify"]
