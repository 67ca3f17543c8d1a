"""Any request is answered or rejected as in DynamoDB, in time, and the store stays intact.

`make test` sends 100 requests to each action, `make fuzz` 10,000. FUZZ sets their number, FUZZ_SEED changes the
requests, and FUZZ_ROUND repeats one round. A failure message contains the command.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from singletable.engine.dispatch import ACTIONS
from tests.engine.fuzz.filled_store import filled
from tests.engine.fuzz.fuzz_runner import REQUESTS_PER_ROUND, Fuzz
from tests.engine.fuzz.json_mutations import encoded
from tests.engine.fuzz.seeds import MORE, seeds
from tests.engine.setting_requests import ALWAYS_REFUSED
from tests.engine.test_engine import VALID

REQUESTS = int(os.environ.get("FUZZ", "100"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
ROUND = os.environ.get("FUZZ_ROUND")
ROUNDS = range(max(1, REQUESTS // REQUESTS_PER_ROUND)) if ROUND is None else range(int(ROUND), int(ROUND) + 1)


@pytest.mark.parametrize("target", sorted(ACTIONS), ids=lambda target: target.rpartition(".")[2])
def test_the_engine_answers_or_rejects_mutated_requests(target: str, tmp_path: Path) -> None:
    answered = Fuzz(target, SEED).run(ROUNDS, tmp_path)
    assert sum(answered.values()) == len(ROUNDS) * REQUESTS_PER_ROUND
    # If all requests were rejected, or no request was, the fuzz would test nothing.
    expected = {400} if target in ALWAYS_REFUSED else {200, 400}
    assert ROUND is not None or set(answered) == expected


@pytest.mark.parametrize("action", sorted(MORE))
def test_fuzz_seeds_are_valid_requests_for_the_engine(action: str, tmp_path: Path) -> None:
    for number, request in enumerate([*([VALID[action]] if action in VALID else ()), *MORE[action]]):
        with filled(tmp_path / str(number)) as engine:
            engine.call(action, request)


def test_generated_fuzz_requests_match_the_shapes_of_the_actions_in_dispatch(tmp_path: Path) -> None:
    """The generated requests of every action can at least be deserialized."""
    with filled(tmp_path / "store") as engine:
        for target, action in ACTIONS.items():
            for request in seeds(target.rpartition(".")[2], action.shape)[1]:
                body = encoded(request)
                assert b"SerializationException" not in engine.answer(target, body).body, (target, request)


def test_a_fuzz_seed_always_gives_the_same_requests() -> None:
    one, same, other = (
        Fuzz("DynamoDB_20120810.Query", 1),
        Fuzz("DynamoDB_20120810.Query", 1),
        Fuzz("DynamoDB_20120810.Query", 2),
    )
    assert list(one.bodies(3)) == list(same.bodies(3))
    assert list(one.bodies(3)) != list(other.bodies(3))
    assert list(one.bodies(3)) != list(one.bodies(4))
