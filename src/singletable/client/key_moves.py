"""Key moves: the requests of new code while a migration gives items other keys.

An item exists under its old or under its new key, never under both. New code plans its requests with the new keys. A
read by key reads the old key and then the new one; a write is a transaction that checks the other key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from singletable.client.items.moved_keys import MovedKeys
from singletable.client.reading.moved_reads import MovedReads
from singletable.client.request_steps import (
    Call,
    CallForChunks,
    IndependentCalls,
    Pause,
    Step,
    Steps,
    concurrently,
    with_responses,
)
from singletable.client.write.moved_writes import MovedWrites, send_one
from singletable.client.write.prepare_actions import Preparer
from singletable.errors import SingletableError
from singletable.evolve.moved_entities import MovedEntity
from singletable.evolve.phases import ItemForm

R = TypeVar("R")


class KeyMoves:
    """Translates the requests of one table that concern moved items."""

    def __init__(self, preparer: Preparer, moved: Sequence[MovedEntity]) -> None:
        keys = MovedKeys(preparer.design, moved)
        self._reads, self._writes = MovedReads(preparer.table, keys), MovedWrites(preparer, keys)

    def translated(self, steps: Steps[R], form: ItemForm) -> Steps[R]:
        """Run steps whose requests have new keys.

        Send the requests that the phase of the migration requires in their place.
        """
        return with_responses(steps, lambda step: self._responses(step, form))

    def _responses(self, step: Step, form: ItemForm) -> Steps[Any]:
        if isinstance(step, Pause | CallForChunks):
            return (yield step)
        is_independent = isinstance(step, IndependentCalls)
        calls: Sequence[Call] = step.calls if isinstance(step, IndependentCalls) else step
        translations = [self._reads.translation(c, form) or self._writes.translation(c, form) for c in calls]
        if all(each is None for each in translations):
            return (yield step)
        steps = [send_one(call) if each is None else each for call, each in zip(calls, translations, strict=True)]
        results: list[Any] = [(yield from steps[0])] if len(steps) == 1 and not is_independent else []
        if not results:
            results = yield from concurrently(steps)
        if isinstance(step, IndependentCalls):
            if step.meanwhile is not None:
                step.meanwhile()
            return results
        failed = next((each for each in results if isinstance(each, SingletableError)), None)
        if failed is not None:
            raise failed
        return results
