"""Statistics: latencies in buckets, pending counts of several threads, and the window of errors."""

from __future__ import annotations

import random
from threading import Thread

import pytest

from singletable.consolidation.mode_statistics import (
    BUCKETS,
    ErrorWindow,
    Latency,
    PatternCounts,
    PatternStatistics,
    addition,
    bucket_of,
)


@pytest.mark.parametrize("seconds", [1e-6, 3e-6, 0.00012, 0.004, 0.7, 12.0, 600.0])
def test_mode_statistics_give_percentiles_within_a_fifth_of_the_latency(seconds: float) -> None:
    found = Latency({bucket_of(seconds): 5}).percentile(0.5)
    assert found == pytest.approx(seconds, rel=0.2)


def test_mode_statistics_put_extreme_latencies_into_the_first_and_last_bucket() -> None:
    assert bucket_of(0.0) == 0
    assert bucket_of(1e-9) == 0
    assert bucket_of(1e9) == BUCKETS - 1
    assert Latency({}).percentile(0.5) is None


def test_mode_statistics_give_percentiles_of_many_latencies() -> None:
    draw = random.Random(3)
    latencies = sorted(draw.lognormvariate(-7, 1) for _ in range(2000))
    statistics = PatternStatistics()
    for each in latencies:
        statistics.read("old", each)
    found = Latency(statistics.take().old)
    for share in (0.5, 0.99):
        assert found.percentile(share) == pytest.approx(latencies[int(share * 2000)], rel=0.25)


def test_mode_statistics_of_several_threads_lose_no_count() -> None:
    statistics = PatternStatistics()
    taken: list[PatternCounts] = []

    def use() -> None:
        for number in range(500):
            statistics.served("old", 0.001)
            statistics.count("compared")
            if number % 50 == 0:
                taken.append(statistics.take())

    threads = [Thread(target=use) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for counts in taken:
        statistics.put_back(counts)
    total = statistics.take()
    assert total.counts == {"calls": 2000, "compared": 2000}
    assert sum(total.old.values()) == 2000
    assert not statistics.is_pending


def test_mode_statistics_end_the_clean_time_at_a_mismatch() -> None:
    clean = PatternCounts()
    clean.counts.update(calls=3, compared=2)
    assert "#clean_calls :clean_calls" in addition(clean, 1, 50.0)["UpdateExpression"]
    clean.counts.update(mismatches=1)
    update = addition(clean, 1, 50.0)
    assert "SET #clean_calls = :zero, #clean_since = :now" in update["UpdateExpression"]
    assert update["ExpressionAttributeValues"][":now"] == {"N": "50.0"}


def test_mode_statistics_update_within_the_size_limit_of_an_expression() -> None:
    counts = PatternCounts()
    for each in (counts.old, counts.new):
        each.update(dict.fromkeys(range(BUCKETS), 1))
    counts.counts.update(dict.fromkeys(("calls", "compared", "mismatches", "errors", "dropped"), 1))
    assert len(addition(counts, 1, 0.0)["UpdateExpression"]) < 4096


def test_mode_statistics_forget_old_errors() -> None:
    window = ErrorWindow(60)
    assert window.add(0.0, is_error=True) == (1, 1)
    assert window.add(59.0, is_error=False) == (2, 1)
    assert window.add(60.0, is_error=True) == (3, 2)
    assert window.add(300.0, is_error=False) == (1, 0)
