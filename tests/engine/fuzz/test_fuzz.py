"""Whatever a request says, it is answered or refused as DynamoDB would, in time, and the store stays sound.

`make test` sends a hundred requests to each action, `make fuzz` ten thousand. FUZZ is their number, FUZZ_SEED makes
others, and FUZZ_ROUND runs one round again, as a failure tells.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from singletable.engine.dispatch import ACTIONS
from tests.engine.fuzz.filled_store import filled
from tests.engine.fuzz.json_mutations import encoded
from tests.engine.fuzz.rounds import REQUESTS_PER_ROUND, Fuzz
from tests.engine.fuzz.seeds import MORE, seeds
from tests.engine.test_engine import VALID
from tests.engine.valid_surroundings import ALWAYS_REFUSED

REQUESTS = int(os.environ.get("FUZZ", "100"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
ROUND = os.environ.get("FUZZ_ROUND")
ROUNDS = range(max(1, REQUESTS // REQUESTS_PER_ROUND)) if ROUND is None else range(int(ROUND), int(ROUND) + 1)


@pytest.mark.parametrize("target", sorted(ACTIONS), ids=lambda target: target.rpartition(".")[2])
def test_mutated_requests_are_answered_or_refused(target: str, tmp_path: Path) -> None:
    answered = Fuzz(target, SEED).run(ROUNDS, tmp_path)
    assert sum(answered.values()) == len(ROUNDS) * REQUESTS_PER_ROUND
    # A fuzz that is always refused, or never, tests nothing.
    expected = {400} if target in ALWAYS_REFUSED else {200, 400}
    assert ROUND is not None or set(answered) == expected


@pytest.mark.parametrize("action", sorted(MORE))
def test_seeds_are_valid(action: str, tmp_path: Path) -> None:
    for number, request in enumerate([*([VALID[action]] if action in VALID else ()), *MORE[action]]):
        with filled(tmp_path / str(number)) as engine:
            engine.call(action, request)


def test_a_shape_alone_is_enough_to_start_from(tmp_path: Path) -> None:
    """Every action has requests that are understood, at least as far as what they say about a table."""
    with filled(tmp_path / "store") as engine:
        for target, action in ACTIONS.items():
            for request in seeds(target.rpartition(".")[2], action.shape)[1]:
                body = encoded(request)
                assert b"SerializationException" not in engine.answer(target, body).body, (target, request)


def test_a_seed_makes_the_same_requests_again() -> None:
    one, same, other = (
        Fuzz("DynamoDB_20120810.Query", 1),
        Fuzz("DynamoDB_20120810.Query", 1),
        Fuzz("DynamoDB_20120810.Query", 2),
    )
    assert list(one.bodies(3)) == list(same.bodies(3))
    assert list(one.bodies(3)) != list(other.bodies(3))
    assert list(one.bodies(3)) != list(one.bodies(4))
