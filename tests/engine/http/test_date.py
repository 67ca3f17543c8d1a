"""Dates of HTTP are those of the standard library."""

from __future__ import annotations

from email.utils import formatdate

from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.http.date import http_date


@given(st.floats(0, 4e9))
def test_a_date_is_written_as_the_standard_library_writes_it(seconds: float) -> None:
    assert http_date(seconds) == formatdate(int(seconds), usegmt=True)
