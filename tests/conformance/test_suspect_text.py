"""Suspect texts: what looks like a mistake, and what does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.conformance.suspect_text import suspicion_of

EXPECTED = {
    "malformed time": (
        *("12023-05-28T14:15:39.24", "2021-08-03T20:25:25:00", "2021-07-07T16:36:42-1", "2021-07-07T16:36:42-D"),
        *('2021-09-15T02:00"00', "2021-02-30", "2021-13-01", "2021-7-5", "2021-07-07T25:00:00"),
    ),
    "number": ("0", "12", "-3.50", "1571827560"),
    "boolean": ("true", "False"),
    "placeholder": ("~new~", "<comm text>", "${id}", "{{id}}", "TBD", "undefined", "[object Object]"),
    "quotes": ('"info"', "'x'"),
    "malformed list": ("{DEN, JFK}", "[wheelchair, vegan]"),
}
ORDINARY = (
    *("", "Ada", "2021-07-07", "2021-07-31T16:36:42.123Z", "2021-07-07 16:36:42 UTC", "2021-07-07T16:36:42+02:00"),
    *("512-777-7777", "4711-12-03", "0900", "007", "1.2.3", "<b>bold</b> text", "[1, 2]", '{"a": 1}', "{}", "to do"),
    *("Null Island", '"Wow", she said', "12 Bridge Street", "2021-07-07-report", "-", "~", "2024-01-02Thursday"),
)

FIRST, LAST = datetime.fromisoformat("1901-01-01"), datetime.fromisoformat("2099-12-31")


@pytest.mark.parametrize(("text", "expected"), [(text, kind) for kind, texts in EXPECTED.items() for text in texts])
def test_a_mistake_is_recognised(text: str, expected: str) -> None:
    assert suspicion_of(text) == expected


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_text_is_not_suspect(text: str) -> None:
    assert suspicion_of(text) is None


@settings(max_examples=50)
@given(st.datetimes(FIRST, LAST), st.sampled_from([None, UTC, timezone(timedelta(hours=2))]))
def test_no_time_that_python_writes_is_malformed(moment: datetime, zone: timezone | None) -> None:
    at = moment.replace(tzinfo=zone)
    for text in (at.isoformat(), at.isoformat(" ", "seconds"), at.date().isoformat()):
        assert suspicion_of(text) is None
