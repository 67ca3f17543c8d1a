"""Copied values: how a declaration reads, whichever way it was written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from singletable.model.copies import Copy, copy


class Customer:
    pass


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["name", "email"], {"name": "name", "email": "email"}),
        (("name",), {"name": "name"}),
        ((name for name in ["name"]), {"name": "name"}),
        ({"name": "customer_name"}, {"name": "customer_name"}),
        ([], {}),
    ],
)
def test_fields_keep_their_names_unless_they_are_given_others(
    fields: Mapping[str, str] | Iterable[str], expected: dict[str, str]
) -> None:
    assert copy(Customer, by={"id": "customer_id"}, fields=fields) == Copy(Customer, {"id": "customer_id"}, expected)


def test_a_declaration_does_not_change_with_what_it_was_made_of() -> None:
    by, fields = {"id": "customer_id"}, {"name": "name"}
    made = copy(Customer, by=by, fields=fields)
    by["id"] = fields["name"] = "other"
    assert (made.by, made.fields) == ({"id": "customer_id"}, {"name": "name"})
