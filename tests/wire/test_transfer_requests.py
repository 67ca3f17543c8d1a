"""Bucket names: checked in linear time, and reported with the pattern of the service."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from singletable.wire.api_types import REPORTED_PATTERN
from singletable.wire.transfer_requests import Bucket

(META,) = Bucket.__metadata__  # type: ignore[attr-defined]  # of Annotated


@given(st.text(st.sampled_from("aZ9.-_!é\n"), max_size=8))
def test_the_faster_bucket_pattern_of_transfer_requests_is_equivalent_to_the_reported_one(text: str) -> None:
    reported = META.extra[REPORTED_PATTERN]
    assert (re.search(META.pattern, text) is None) == (re.search(reported, text) is None)


def test_transfer_requests_reject_a_long_bucket_name_at_once_with_the_services_message() -> None:
    request = {"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table", "S3Bucket": "a" * 200_000 + "!"}
    with Engine() as engine, pytest.raises(RequestRefused) as raised:
        engine.call("ExportTableToPointInTime", request)  # with the service's own pattern this would take days
    assert r"[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+" in raised.value.message
