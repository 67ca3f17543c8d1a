"""Suspect texts: what looks like a mistake, and what does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.conformance.suspect_text import is_name, is_template_syntax, suspicion_of

EXPECTED = {
    "malformed time": (
        *("12023-05-28T14:15:39.24", "2021-08-03T20:25:25:00", "2021-07-07T16:36:42-1", "2021-07-07T16:36:42-D"),
        *('2021-09-15T02:00"00', "2021-02-30", "2021-13-01", "2021-7-5", "2021-07-07T25:00:00"),
    ),
    "unsorted time": (
        *("7/1/2019", "12.05.2020", "10:30 AM", "Jan 5, 2021", "5 January 2021", "Mon Jan 01 2020 10:00:00 GMT"),
        "12/25/2020 10:00:00",
    ),
    "number": ("0", "12", "-3.50", "1571827560"),
    "boolean": ("true", "False"),
    "placeholder": ("~new~", "<comm text>", "${id}", "{{id}}", "TBD", "undefined", "[object Object]", "..."),
    "quotes": ('"info"', "'x'"),
    "JSON": ("[1, 2]", '{"a": 1}', "{}"),
    "malformed list": ("{DEN, JFK}", "[wheelchair, vegan]"),
}
ORDINARY = (
    *("", "Ada", "2021-07-07", "2021-07-31T16:36:42.123Z", "2021-07-07 16:36:42 UTC", "2021-07-07T16:36:42+02:00"),
    *("512-777-7777", "4711-12-03", "0900", "007", "1.2.3", "<b>bold</b> text", "to do"),
    *("March to glory", "May flowers", "Sun tan", "1.2.3", "3:45", "10-K", "08.09.10", "x" * 40),
    *("Null Island", '"Wow", she said', "12 Bridge Street", "2021-07-07-report", "-", "~", "2024-01-02Thursday"),
)

FIRST, LAST = datetime.fromisoformat("1901-01-01"), datetime.fromisoformat("2099-12-31")


@pytest.mark.parametrize(("text", "expected"), [(text, kind) for kind, texts in EXPECTED.items() for text in texts])
def test_suspect_text_is_recognised_by_its_mistake(text: str, expected: str) -> None:
    assert suspicion_of(text) == expected


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_text_is_not_suspect(text: str) -> None:
    assert suspicion_of(text) is None


@settings(max_examples=50)
@given(st.datetimes(FIRST, LAST), st.sampled_from([None, UTC, timezone(timedelta(hours=2))]))
def test_no_time_that_python_writes_is_suspect_text(moment: datetime, zone: timezone | None) -> None:
    at = moment.replace(tzinfo=zone)
    for text in (at.isoformat(), at.isoformat(" ", "seconds"), at.date().isoformat()):
        assert suspicion_of(text) is None


@pytest.mark.parametrize("text", ["online#P1#(hashCode(number) % 10)", "USER#{id}", "ORDER#<orderId>"])
def test_suspect_text_includes_template_syntax_in_a_key(text: str) -> None:
    assert is_template_syntax(text)


@pytest.mark.parametrize("text", ["USER#1", "Jon (jr)", "Alien(s)", "a<b", "n{1}"])
def test_suspect_text_excludes_brackets_in_a_title(text: str) -> None:
    assert not is_template_syntax(text)


def test_suspect_text_recognises_names_of_ids_and_times() -> None:
    assert [
        text for text in ("hospitalId", "order_id", "createdAt", "uuid", "normal", "paid", "John") if is_name(text)
    ] == [
        *("hospitalId", "order_id", "createdAt", "uuid"),
    ]
