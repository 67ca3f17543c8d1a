"""Keys that only a title or the name of a person makes unique, and titles that identify an item."""

from __future__ import annotations

from dataclasses import make_dataclass

import pytest

from singletable import Table, entity
from singletable.verify.design_check import check


@pytest.mark.parametrize(
    ("name", "key", "is_reported"),
    [
        ("Thread", ("FORUM#{forum}", "THREAD#{subject}"), True),
        ("Editor", ("USER#{first_name}", "NAME#{last_name}"), True),
        ("Editor", ("USER#{first_name}", "NAME#{last_name}#{id}"), False),
        ("Song", ("ARTIST#{artist}", "SONG#{title}"), False),
        ("Team", ("TEAM#{name}", "TEAM"), False),
    ],
)
def test_a_title_or_a_name_does_not_make_a_key_unique(name: str, key: tuple[str, str], is_reported: bool) -> None:
    fields = ("forum", "subject", "first_name", "last_name", "id", "artist", "title", "name")
    used = [(field, str) for field in fields if f"{{{field}}}" in "".join(key)]
    declared = entity(key=key)(make_dataclass(name, used))

    class Things(Table, entities=[declared]):
        pass

    assert any(finding.code == "ST138" for finding in check(Things.design).findings) == is_reported
