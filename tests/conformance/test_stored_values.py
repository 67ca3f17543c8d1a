"""Values of stored items: each kind of mistake is reported once per entity, and correct values are not reported."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from singletable import Table, bucket, entity
from singletable.conformance.stored_values import CHECKED_ITEMS, StoredValues

Item = dict[str, dict[str, Any]]


@entity(key=("ROOM#{room}", "MSG#{sent}"))
@dataclass
class Message:
    room: str
    sent: str


@entity(key=("USER#{name}", "PROFILE"), ttl="expires")
@dataclass
class Session:
    name: str
    expires: int


@entity(key=("CONFIG#{name}", "max_date"))
@dataclass
class Setting:
    name: str


@entity(key=("CITY#{city}#{month}", "{starts}"))
@dataclass
class Meeting:
    city: str
    month: str
    starts: str


class Meetings(Table, entities=[Meeting]):
    pass


@entity(key=("DUE#{month}#{list_id}", "{created}"), derived={"month": bucket("due", "month")})
@dataclass
class Todo:
    list_id: str
    due: date
    created: str


class Todos(Table, entities=[Todo]):
    pass


class Settings(Table, entities=[Setting]):
    pass


class Chat(Table, entities=[Message, Session]):
    pass


def message(sent: str = "2024-01-01T10:00:00Z", **others: Any) -> tuple[type, Item]:
    return Message, {"PK": {"S": "ROOM#r1"}, "SK": {"S": f"MSG#{sent}"}, **_typed(others)}


def session(expires: int | str, **others: Any) -> tuple[type, Item]:
    return Session, {"PK": {"S": "USER#ada"}, "SK": {"S": "PROFILE"}, "expires": {"N": str(expires)}, **_typed(others)}


def _typed(values: dict[str, Any]) -> Item:
    return {name: {"S": value} if isinstance(value, str) else {"N": str(value)} for name, value in values.items()}


def found(*items: tuple[type, Item]) -> list[tuple[str, str, int, str]]:
    checks = StoredValues(Chat.design)
    for cls, item in items:
        checks.add(Chat.design.entity_of(cls), item)
    return [
        (each.finding.code, each.finding.message.partition(": ")[2], each.items, each.value)
        for each in checks.findings()
    ]


def messages(*items: tuple[type, Item]) -> list[tuple[str, str]]:
    return [(code, message) for code, message, _, _ in found(*items)]


def test_a_malformed_stored_time_in_a_key_and_in_an_attribute_is_one_finding() -> None:
    bad = message("12024-01-01T10:00:00Z", edited="2024-02-30")
    assert found(message(edited="2024-02-28"), bad) == [
        (
            "ST214",
            "SK, edited: text that looks like a time is not a valid time, so it does not sort by time",
            1,
            "12024-01-01T10:00:00Z",
        )
    ]


def test_stored_times_in_two_formats_do_not_sort_by_time() -> None:
    ((code, text),) = messages(message("2024-01-01T10:00:00Z"), message("2024-01-01T10:00:00.500Z"))
    assert code == "ST214"
    assert text.startswith("SK has times in 2 formats")
    assert messages(message("2024-01-01T10:00:00Z"), message("2025-12-31T23:59:59Z")) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            {"amount": "12.50"},
            [("ST215", "amount is a number stored as text, which DynamoDB neither adds nor compares by value")],
        ),
        ({"paid": "true"}, [("ST215", "paid is a boolean stored as text, which DynamoDB compares as text")]),
        ({"amount": 12}, []),
        ({"zip_code": "41111", "phone": "5127777777", "order_id": "17"}, []),
        ({"owner": "r1"}, []),
    ],
)
def test_stored_numbers_as_text_are_reported_unless_they_identify_something(
    values: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert messages(message(**values)) == expected


def test_a_stored_value_is_not_a_number_if_the_attribute_has_other_texts_or_is_a_part_of_the_key() -> None:
    assert messages(message(size="12"), message(size="large")) == []
    in_key = (Message, {"PK": {"S": "ROOM#7"}, "SK": {"S": "MSG#2024-01-01"}, "owner": {"S": "7"}})
    assert messages(in_key) == []


def test_stored_placeholders_quoted_keys_and_lists_as_text_are_reported() -> None:
    bad = message('"first"', city="~new~", tags="[red, blue]")
    assert messages(bad) == [
        ("ST216", "city contains a placeholder instead of a value"),
        ("ST216", "SK contains quotes as part of a key"),
        ("ST216", "tags contains a list or a map as text that is not JSON"),
    ]
    assert messages(message(title='"Wow"', tags="red, blue")) == []


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (session(1_700_000_000_000), "expires is a time in milliseconds"),
        (session(86_400), "expires is not a time since 1970"),
        (session(1_700_000_000, created_at="2023-11-14T22:13:20Z"), "expires is not after created_at of the same item"),
        (session(1_700_000_000, created_at=1_700_000_000_000), "expires is not after created_at of the same item"),
    ],
)
def test_a_stored_expiry_time_that_is_implausible_is_reported(item: tuple[type, Item], expected: str) -> None:
    ((code, text),) = messages(item)
    assert code == "ST217"
    assert text.startswith(expected)


def test_a_stored_expiry_time_after_the_creation_is_not_reported() -> None:
    assert messages(session(1_700_086_400, created_at="2023-11-14T22:13:20Z")) == []


def test_stored_expiry_times_that_equal_the_times_of_other_items_are_reported() -> None:
    others = [message(timestamp=1_700_000_000 + number) for number in range(2)]
    assert ("ST217", "expires equals the timestamp of other items, so the items expire at that time, not after it") in (
        messages(*others, session(1_700_000_000))
    )
    assert messages(*others, *(session(1_800_000_000 + number) for number in range(3)), session(1_700_000_000)) == []


def test_stored_values_of_one_attribute_with_two_types_are_reported_with_the_entities() -> None:
    checks = StoredValues(Chat.design)
    for cls, item in (message(total=1), session(1_700_000_000, total="one")):
        checks.add(Chat.design.entity_of(cls), item)
    (each,) = checks.findings()
    assert each.finding.code == "ST218"
    assert each.finding.message.startswith("total is N in Message and S in Session, so a condition")


def test_stored_values_are_sampled_after_many_items_of_an_entity() -> None:
    checks = StoredValues(Chat.design)
    target = Chat.design.entity_of(Message)
    good, bad = message()[1], message("2024-02-30")[1]
    for _ in range(CHECKED_ITEMS):
        checks.add(target, good)
    for _ in range(32):
        checks.add(target, bad)
    assert [each.items for each in checks.findings()] == [2]


def test_a_stored_time_that_begins_with_the_day_does_not_sort() -> None:
    ((code, text),) = messages(message("7/1/2019"))
    assert (code, text) == (
        "ST214",
        "SK is a time whose text begins with the day, the month or the hour, so it does not sort by time",
    )


@pytest.mark.parametrize("sent", ["{sent}", "sent_at", "now(sent)"])
def test_a_stored_key_with_a_name_instead_of_a_value_is_reported(sent: str) -> None:
    assert [code for code, _ in messages(message(sent))] == ["ST216"]


def test_a_literal_of_a_template_is_not_reported_as_a_stored_value() -> None:
    checks = StoredValues(Settings.design)
    checks.add(Settings.design.entity_of(Setting), {"PK": {"S": "CONFIG#a"}, "SK": {"S": "max_date"}})
    assert list(checks.findings()) == []


def test_a_stored_key_with_another_number_of_parts_is_reported() -> None:
    bad = message("2024-01-03T10:00:00Z#MSG#2024-01-04T10:00:00Z")
    usual = [message("2024-01-01T10:00:00Z"), message("2024-01-02T10:00:00Z")]
    ((code, _, items, value),) = found(*usual, bad)
    assert (code, items, value) == ("ST219", 1, bad[1]["SK"]["S"])
    assert found(usual[0], bad) == []  # of two shapes, none is usual


def test_stored_values_of_an_attribute_in_two_spellings_are_reported() -> None:
    ((code, _, _, value),) = found(message(createdBy="u1"), message("2024-01-02T10:00:00Z", created_by="u1"))
    assert (code, value) == ("ST220", "created_by")


def test_values_inside_maps_are_checked() -> None:
    cls, item = message()
    inner = {"M": {"amount": {"S": "12.50"}, "tags": {"L": [{"S": "TBD"}]}}}
    assert [(code, value) for code, _, _, value in found((cls, {**item, "details": inner}))] == [
        ("ST215", "12.50"),
        ("ST216", "TBD"),
    ]


def test_a_space_at_the_start_of_a_stored_key_or_value_is_reported() -> None:
    assert [code for code, _ in messages(message(title=" Garibaldi Park"))] == ["ST216"]
    assert messages(message(title="Garibaldi Park")) == []


def test_a_stored_time_without_a_time_zone_is_reported() -> None:
    assert [code for code, _ in messages(message(edited_at="2024-01-01T10:00:00"))] == ["ST222"]
    assert messages(message(edited_at="2024-01-01")) == []


def test_stored_creation_times_in_the_format_of_another_entity_are_reported() -> None:
    ((code, _, _, value),) = found(
        message(createdAt="2024-01-01"), session(9_999_999_999, createdAt="2024-01-01T10:00:00Z")
    )
    assert (code, value) == ("ST214", "2024-01-01T10:00:00Z")


def test_stored_keys_with_the_names_of_months_do_not_sort() -> None:
    assert [code for code, _ in messages(message("Jan"), message("Feb"))] == ["ST214"]
    assert messages(message("May")) == []  # also a name


def test_a_stored_number_with_a_comma_is_a_number_as_text() -> None:
    assert [code for code, _ in messages(message(amount="1.088,050"))] == ["ST215"]


def test_a_stored_map_with_a_member_per_id_is_reported() -> None:
    cls, item = message()
    points = {"94852af8-2d5f-4538-9840-47d0cb1f7a76": {"N": "7"}, "72e9a410-9051-451f-a306-327fa678595a": {"N": "3"}}
    assert [code for code, *_ in found((cls, {**item, "points": {"M": points}}))] == ["ST223"]
    assert found((cls, {**item, "points": {"M": {"wins": {"N": "7"}, "losses": {"N": "3"}}}})) == []


@pytest.mark.parametrize(
    ("month", "codes"), [("2024-01", []), ("2024-02", []), ("2024-03", ["ST224"]), ("2024-01-30", []), ("spring", [])]
)
def test_a_stored_time_outside_the_period_of_its_partition_is_reported(month: str, codes: list[str]) -> None:
    """A difference of one day can come from a time zone."""
    checks = StoredValues(Meetings.design)
    item = {"PK": {"S": f"CITY#c1#{month}"}, "SK": {"S": "2024-01-31T23:30:00Z"}}
    checks.add(Meetings.design.entity_of(Meeting), item)
    assert [each.finding.code for each in checks.findings()] == codes


def test_a_stored_period_that_the_model_computes_from_another_time_is_not_reported() -> None:
    checks = StoredValues(Todos.design)
    item = {"PK": {"S": "DUE#2024-05#l1"}, "SK": {"S": "2024-01-31T23:30:00Z"}}
    checks.add(Todos.design.entity_of(Todo), item)
    assert list(checks.findings()) == []


def test_stored_versions_of_digits_are_numbers_as_text() -> None:
    assert [code for code, _ in messages(message(version="1"), message(version="2"))] == ["ST215"]
    assert messages(message(version="1"), message(version="1.0.2")) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"box": '{"width": 3}'}, ["ST226"]),
        ({"lines": '[{"sku": "a"}]'}, ["ST226"]),
        ({"payload": '{"width": 3}'}, []),
        ({"box": "{width: 3}"}, ["ST216"]),
    ],
)
def test_json_as_text_is_reported_unless_the_attribute_contains_a_document(
    values: dict[str, Any], expected: list[str]
) -> None:
    assert [code for code, _ in messages(message(**values))] == expected


@pytest.mark.parametrize("sent", ["2024-07-31T13:50:40+09:00", "2024-07-01T13:50-0500"])
def test_a_time_with_a_utc_offset_in_a_key_is_reported(sent: str) -> None:
    assert messages(message(sent)) == [
        ("ST227", "SK: times with a UTC offset do not sort with times in UTC or with another offset")
    ]


@pytest.mark.parametrize("sent", ["2024-07-31T13:50:40Z", "2024-07-31T13:50:40+00:00", "2024-07-31"])
def test_a_time_in_utc_in_a_key_is_not_reported(sent: str) -> None:
    assert messages(message(sent)) == []


def test_a_name_of_an_attribute_in_the_middle_of_a_key_is_a_placeholder() -> None:
    ((code, text),) = messages(message("StartDate#7"))
    assert (code, text) == ("ST216", "SK contains a placeholder instead of a value")
