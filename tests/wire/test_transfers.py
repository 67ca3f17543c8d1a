"""The names of buckets: checked in one go, however long they are, and told by the API's own pattern."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from singletable.wire.shape import PATTERN_AS_TOLD
from singletable.wire.transfers import Bucket

(META,) = Bucket.__metadata__  # type: ignore[attr-defined]  # what Annotated keeps


@given(st.text(st.sampled_from("aZ9.-_!é\n"), max_size=8))
def test_the_quicker_pattern_stands_for_the_one_that_is_told(text: str) -> None:
    told = META.extra[PATTERN_AS_TOLD]
    assert (re.search(META.pattern, text) is None) == (re.search(told, text) is None)


def test_a_long_name_is_refused_at_once_and_in_the_apis_words() -> None:
    request = {"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table", "S3Bucket": "a" * 200_000 + "!"}
    with Engine() as engine, pytest.raises(RequestRefused) as refused:
        engine.call("ExportTableToPointInTime", request)  # the API's own pattern would take days
    assert r"[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+" in refused.value.message
