"""Roles of fields, guessed from their types and names."""

import enum
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import pytest

from singletable.model.field_roles import (
    ValueCount,
    follows_clock,
    is_identifier,
    is_instant,
    is_score,
    own_identifier,
    value_count,
    words_of,
)
from singletable.model.fields import Field


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"
    GREEN = "g"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("created_at", ("created", "at")),
        ("createdAt", ("created", "at")),
        ("orderID", ("order", "id")),
        ("status_2", ("status", "2")),
        ("_", ()),
    ],
)
def test_field_roles_split_names_in_snake_case_and_camel_case_into_words(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("name", "type_", "values", "is_guess"),
    [
        ("anything", bool, 2, False),
        ("anything", Literal["a", "b", "c"], 3, False),
        ("anything", Colour, 3, False),
        ("status", str, 10, True),
        ("orderStatus", str, 10, True),
        ("status_2", str, 10, True),
        ("category_name", str, 50, True),
        ("country_code", str, 200, True),
        ("age_group", str, 10, True),
        ("is_active", int, 2, True),
    ],
)
def test_field_roles_include_closed_sets_with_few_values(name: str, type_: Any, values: int, is_guess: bool) -> None:
    assert value_count(Field(name, type_)) == ValueCount(values, is_guess)


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("status_id", str),
        ("name", str),
        ("first_name", str),
        ("group", str),
        ("city", str),
        ("status", datetime),
        ("state", bytes),
        ("_", str),
    ],
)
def test_field_roles_without_a_closed_set_can_have_many_values(name: str, type_: Any) -> None:
    assert value_count(Field(name, type_)) is None


@pytest.mark.parametrize(
    ("name", "type_", "expected"),
    [
        ("created_at", datetime, True),
        ("createdAt", str, True),
        ("timestamp", int, True),
        ("order_date", str, True),
        ("day", date, True),
        ("birth_date", date, False),
        ("due_date", str, False),
        ("start_time", datetime, False),
        ("year", int, False),
        ("based_on", str, False),
        ("status", str, False),
    ],
)
def test_field_roles_treat_a_time_as_following_the_clock_unless_people_choose_it(
    name: str, type_: Any, expected: bool
) -> None:
    assert follows_clock(Field(name, type_)) is expected


def test_field_roles_do_not_treat_a_date_as_an_instant() -> None:
    assert is_instant(Field("at", datetime))
    assert is_instant(Field("event_time", str))
    assert not is_instant(Field("day", date))


@pytest.mark.parametrize(
    ("name", "type_", "expected"),
    [
        ("score", int, True),
        ("engagement_score", int, True),
        ("whatever", float, True),
        ("total", Decimal, True),
        ("line", int, False),
        ("version", int, False),
        ("score", str, False),
        ("timestamp", float, False),
    ],
)
def test_field_roles_treat_a_score_as_a_number_that_items_can_share(name: str, type_: Any, expected: bool) -> None:
    assert is_score(Field(name, type_)) is expected


def test_field_roles_of_identifiers_belong_to_uuids_and_fields_named_like_an_id() -> None:
    assert [is_identifier(Field(name, str)) for name in ("id", "orderId", "item_sku", "email")] == [True] * 4
    assert is_identifier(Field("reference", UUID))
    assert [is_identifier(Field(name, str)) for name in ("name", "valid", "identity")] == [False] * 3


@pytest.mark.parametrize(
    ("label", "name", "found"),
    [
        ("Transaction", "trans_id", True),
        ("TenantCertificate", "certificate_id", True),
        ("TrendingDeal", "deal_id", True),
        ("Anything", "uuid", True),
        ("Transaction", "account_id", False),
        ("Transaction", "t_id", False),
        ("Transaction", "email", False),
    ],
)
def test_field_roles_name_the_own_identifier_after_its_entity(label: str, name: str, found: bool) -> None:
    field = Field(name, str)
    assert own_identifier(label, [Field("other", str), field]) == (field if found else None)
