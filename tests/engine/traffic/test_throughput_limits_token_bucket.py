"""Token buckets: in any period, they allow the added and saved units plus at most one request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.traffic.throughput_limits import TokenBucket

STEPS = st.lists(
    st.tuples(st.floats(0, 500, allow_nan=False), st.floats(0.5, 40, allow_nan=False)), min_size=1, max_size=200
)


@given(STEPS, st.integers(1, 50), st.floats(1, 300))
def test_throughput_limits_pass_no_more_units_than_were_added_and_saved(
    steps: list[tuple[float, float]], rate: int, burst_seconds: float
) -> None:
    bucket = TokenBucket(rate, burst_seconds, 0.0)
    now, passed, largest = 0.0, 0.0, 0.0
    for waited, units in steps:
        now += waited
        if bucket.has_units(now):
            bucket.take(units, now)
            passed += units
            largest = max(largest, units)
    assert passed <= rate * (now + burst_seconds) + largest + 1e-6


@given(STEPS, st.integers(1, 50))
def test_throughput_limits_always_pass_requests_below_the_rate(steps: list[tuple[float, float]], rate: int) -> None:
    bucket = TokenBucket(rate, 300, 0.0)
    now = 0.0
    for waited, units in steps:
        now += waited + units / rate
        assert bucket.has_units(now)
        bucket.take(units, now)


def test_throughput_limits_start_with_one_second_of_units_or_the_saved_ones() -> None:
    def passes(bucket: TokenBucket) -> int:
        count = 0
        while bucket.has_units(0.0):
            bucket.take(1, 0.0)
            count += 1
        return count

    assert passes(TokenBucket(5, 300, 0.0)) == 5
    assert passes(TokenBucket(5, 300, 0.0, saved_seconds=20)) == 100
    assert passes(TokenBucket(5, 300, 0.0, saved_seconds=10_000)) == 1_500


def test_overdrawn_throughput_limits_refill_before_they_allow_a_request() -> None:
    bucket = TokenBucket(1, 300, 0.0)
    bucket.take(11, 0.0)
    assert not bucket.has_units(10.0)
    assert bucket.has_units(10.5)


def test_a_changed_rate_of_throughput_limits_applies_at_once_and_limits_the_saved_units() -> None:
    bucket = TokenBucket(100, 300, 0.0, saved_seconds=300)
    bucket.set_rate(1, 0.0)
    bucket.take(301, 0.0)
    assert not bucket.has_units(1.0)
    bucket.set_rate(1_000, 1.0)
    assert bucket.has_units(1.01)


@pytest.mark.parametrize("back", [-1.0, -1_000.0])
def test_a_clock_set_back_neither_adds_nor_removes_units_of_throughput_limits(back: float) -> None:
    bucket = TokenBucket(1, 300, 0.0)
    bucket.take(1, 0.0)
    assert not bucket.has_units(back)
    assert bucket.has_units(1.0)


def test_a_full_token_bucket_of_throughput_limits_can_be_discarded() -> None:
    bucket = TokenBucket(10, 1, 0.0)
    assert bucket.is_full(0.0)
    bucket.take(5, 0.0)
    assert not bucket.is_full(0.4)
    assert bucket.is_full(0.5)
