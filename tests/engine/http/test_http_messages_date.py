"""HTTP dates equal those of the standard library."""

from __future__ import annotations

from email.utils import formatdate

from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.http.http_messages import http_date


@given(st.floats(0, 4e9))
def test_the_date_in_http_messages_has_the_format_of_the_standard_library(seconds: float) -> None:
    assert http_date(seconds) == formatdate(int(seconds), usegmt=True)
