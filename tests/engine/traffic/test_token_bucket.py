"""Token buckets: what goes through over any time is what came in, what was saved, and one request more at most."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.traffic.token_bucket import TokenBucket

STEPS = st.lists(
    st.tuples(st.floats(0, 500, allow_nan=False), st.floats(0.5, 40, allow_nan=False)), min_size=1, max_size=200
)


@given(STEPS, st.integers(1, 50), st.floats(1, 300))
def test_no_more_passes_than_came_in_and_was_saved(
    steps: list[tuple[float, float]], rate: int, burst_seconds: float
) -> None:
    bucket = TokenBucket(rate, burst_seconds, 0.0)
    now, passed, largest = 0.0, 0.0, 0.0
    for waited, units in steps:
        now += waited
        if bucket.has_some(now):
            bucket.take(units, now)
            passed += units
            largest = max(largest, units)
    assert passed <= rate * (now + burst_seconds) + largest + 1e-6


@given(STEPS, st.integers(1, 50))
def test_whoever_asks_for_less_than_comes_in_always_passes(steps: list[tuple[float, float]], rate: int) -> None:
    bucket = TokenBucket(rate, 300, 0.0)
    now = 0.0
    for waited, units in steps:
        now += waited + units / rate
        assert bucket.has_some(now)
        bucket.take(units, now)


def test_a_new_bucket_has_one_second_and_an_old_one_what_it_could_save() -> None:
    def passes(bucket: TokenBucket) -> int:
        count = 0
        while bucket.has_some(0.0):
            bucket.take(1, 0.0)
            count += 1
        return count

    assert passes(TokenBucket(5, 300, 0.0)) == 5
    assert passes(TokenBucket(5, 300, 0.0, saved_seconds=20)) == 100
    assert passes(TokenBucket(5, 300, 0.0, saved_seconds=10_000)) == 1_500


def test_an_overdrawn_bucket_is_paid_back_first() -> None:
    bucket = TokenBucket(1, 300, 0.0)
    bucket.take(11, 0.0)
    assert not bucket.has_some(10.0)
    assert bucket.has_some(10.5)


def test_another_rate_holds_from_now_on_and_never_saves_more_than_its_own() -> None:
    bucket = TokenBucket(100, 300, 0.0, saved_seconds=300)
    bucket.set_rate(1, 0.0)
    bucket.take(301, 0.0)
    assert not bucket.has_some(1.0)
    bucket.set_rate(1_000, 1.0)
    assert bucket.has_some(1.01)


@pytest.mark.parametrize("back", [-1.0, -1_000.0])
def test_a_clock_that_is_put_back_gives_nothing_and_takes_nothing(back: float) -> None:
    bucket = TokenBucket(1, 300, 0.0)
    bucket.take(1, 0.0)
    assert not bucket.has_some(back)
    assert bucket.has_some(1.0)


def test_a_full_bucket_can_be_forgotten() -> None:
    bucket = TokenBucket(10, 1, 0.0)
    assert bucket.is_full(0.0)
    bucket.take(5, 0.0)
    assert not bucket.is_full(0.4)
    assert bucket.is_full(0.5)
