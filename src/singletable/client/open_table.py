"""An open table: a design with a session behind it, on which patterns run, awaited or not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from singletable.client.key import TableEntities
from singletable.client.options import Options
from singletable.client.reading import pages
from singletable.client.reading.ancestors import on_the_way_down
from singletable.client.reading.areas import read_area
from singletable.client.reading.reader import Reader
from singletable.client.reading.single import get_one
from singletable.client.session import Session
from singletable.client.steps import Steps, run, run_async
from singletable.client.watched import asking
from singletable.errors import ArgumentRefused, DesignError
from singletable.model.intents import Ancestors, Collection, Get, Query, Within, Write
from singletable.planner.plan import Outcome, Plan, Refusal

if TYPE_CHECKING:
    from singletable.client.write.writer import Writer

R = TypeVar("R")
_DEFAULT = Options()


class OpenTable:
    """What a table's patterns and writes run on."""

    def __init__(self, session: Session, reader: Reader, *, returns_items: bool) -> None:
        """`returns_items`: whether the server returns the item for which a condition failed."""
        self.session = session
        self.reader = reader
        self.entities = TableEntities(reader.design)
        self._returns_items = returns_items
        self._writer: Writer | None = None
        self._making = Lock()

    @property
    def writer(self) -> Writer:
        """What writes; it is loaded with the first write, so that those who only read are not kept waiting for it."""
        return self._writer or self._made_writer()

    def _made_writer(self) -> Writer:
        from singletable.client.write.writer import Writer

        with self._making:
            self._writer = self._writer or Writer(self.reader, returns_items=self._returns_items)
        return self._writer

    def run(self, steps: Steps[R]) -> R:
        """Does some work on this thread."""
        return run(steps, self.session)

    async def run_async(self, steps: Steps[R]) -> R:
        """Does some work on the running loop."""
        return await run_async(steps, self.session)

    def run_pattern(self, outcome: Outcome, arguments: dict[str, Any], options: Options | None) -> Any:
        """Asks what a pattern asks."""
        return self._asked(_planned(outcome), self._steps(outcome, arguments, options))

    async def run_pattern_async(self, outcome: Outcome, arguments: dict[str, Any], options: Options | None) -> Any:
        """The same, awaited."""
        return await self._asked_async(_planned(outcome), self._steps(outcome, arguments, options))

    def count(self, outcome: Outcome, arguments: dict[str, Any], options: Options | None) -> int:
        """How many items a pattern answers."""
        plan = _planned(outcome)
        return self._asked(plan, pages.count_all(self.reader, plan, arguments, options or _DEFAULT))

    async def count_async(self, outcome: Outcome, arguments: dict[str, Any], options: Options | None) -> int:
        """The same, awaited."""
        plan = _planned(outcome)
        return await self._asked_async(plan, pages.count_all(self.reader, plan, arguments, options or _DEFAULT))

    def every(self, outcome: Outcome, arguments: dict[str, Any], options: Options | None) -> Iterator[Any]:
        """Every item that a pattern answers, as it is needed."""
        plan, chosen = _planned(outcome), options or _DEFAULT
        found = pages.query_all(self.reader, plan, arguments, chosen)
        while (objects := self._asked(plan, pages.next_objects(self.reader, plan, found, chosen))) is not None:
            yield from objects

    async def every_async(
        self, outcome: Outcome, arguments: dict[str, Any], options: Options | None
    ) -> AsyncIterator[Any]:
        """The same, awaited."""
        plan, chosen = _planned(outcome), options or _DEFAULT
        found = pages.query_all(self.reader, plan, arguments, chosen)
        while True:
            objects = await self._asked_async(plan, pages.next_objects(self.reader, plan, found, chosen))
            if objects is None:
                return
            for each in objects:
                yield each

    def _asked(self, plan: Plan, steps: Steps[R]) -> R:
        """Does the work of a pattern, whose name its requests carry while somebody watches them."""
        if not self.session.is_watched:
            return run(steps, self.session)
        before = asking.set(plan.pattern.name)
        try:
            return run(steps, self.session)
        finally:
            asking.reset(before)

    async def _asked_async(self, plan: Plan, steps: Steps[R]) -> R:
        if not self.session.is_watched:
            return await run_async(steps, self.session)
        before = asking.set(plan.pattern.name)
        try:
            return await run_async(steps, self.session)
        finally:
            asking.reset(before)

    def _steps(self, outcome: Outcome, arguments: dict[str, Any], options: Options | None) -> Steps[Any]:
        plan, chosen = _planned(outcome), options or _DEFAULT
        if isinstance(plan.pattern.intent, Write):
            if options is not None:
                raise ArgumentRefused(f"{plan.pattern.name} writes; the options of using(...) are those of reads")
            return self.writer.pattern(plan, arguments)
        match plan.pattern.intent:
            case Get():
                return get_one(self.reader, plan, arguments, chosen)
            case Query():
                return pages.query_page(self.reader, plan, arguments, chosen)
            case Collection():
                return pages.collect(self.reader, plan, arguments, chosen)
            case Within():
                return read_area(self.reader, plan, arguments, chosen)
            case Ancestors():
                return on_the_way_down(self.reader, plan, arguments, chosen)
            case _:
                raise AssertionError("every other pattern writes")


def _planned(outcome: Outcome) -> Plan:
    if isinstance(outcome, Refusal):
        from singletable.planner.explain import refusal_problem

        raise DesignError(refusal_problem(outcome))
    return outcome
