"""Connected table: runs patterns, reads and writes through a session, synchronously or with asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from singletable.client.key import TableEntities
from singletable.client.pattern import name_pattern
from singletable.client.reading import pagination
from singletable.client.reading.pattern_reads import get_one, read_ancestors, read_area, read_collection
from singletable.client.reading.query_execution import MergedQueries, SingleQuery
from singletable.client.reading.table_reader import ReadOptions, TableReader
from singletable.client.request_session import Session
from singletable.client.request_steps import Steps, run, run_async
from singletable.client.tracing import caller_for_recording, current_pattern
from singletable.errors import ArgumentRefused, DesignError, KeyRefused
from singletable.model.intents import (
    AncestorsIntent,
    CollectionIntent,
    FeedIntent,
    GetIntent,
    ItemWriteIntent,
    QueryIntent,
    WithinIntent,
)
from singletable.planner.plan import Outcome, Plan, UnsupportedPattern

if TYPE_CHECKING:
    from singletable.client.write.table_writer import Writer

R = TypeVar("R")
_DEFAULT = ReadOptions()


class ConnectedTable:
    """Runs the patterns, reads and writes of an open table."""

    def __init__(self, session: Session, reader: TableReader, *, returns_items: bool) -> None:
        """Store the parts. `returns_items` is True if the server returns the stored item when a condition fails."""
        self.session = session
        self.reader = reader
        self.entities = TableEntities(reader.design)
        self.returns_items = returns_items
        self.finder: TableReader | None = None
        """The reader that finds copies; None if it is `reader`."""
        self._writer: Writer | None = None
        self._making = Lock()

    @property
    def writer(self) -> Writer:
        """The writer. Its module is imported at the first write, so that programs that only read start faster."""
        return self._writer or self._create_writer()

    def _create_writer(self) -> Writer:
        from singletable.client.write.table_writer import Writer

        with self._making:
            self._writer = self._writer or Writer(self.reader, returns_items=self.returns_items, finder=self.finder)
        return self._writer

    @property
    def has_new_keys(self) -> bool:
        """Whether all items have the keys of the model, which is false while a migration moves items."""
        return True

    def read_steps(self, make: Callable[[ConnectedTable], Steps[R]]) -> Steps[R]:
        """Return the steps of a read by key on this table; during a migration, it can read other attributes or keys."""
        return make(self)

    def write_steps(self, make: Callable[[ConnectedTable], Steps[R]]) -> Steps[R]:
        """Return the steps of a write on this table; during a migration, it can write other index keys."""
        return make(self)

    def run(self, steps: Steps[R]) -> R:
        """Run the steps of a read or write on this thread."""
        return run(steps, self.session)

    async def run_async(self, steps: Steps[R]) -> R:
        """Run the steps of a read or write on the running event loop."""
        return await run_async(steps, self.session)

    def run_pattern(self, outcome: Outcome, arguments: dict[str, Any], options: ReadOptions | None) -> Any:
        """Run a pattern and return its result."""
        return self._run_observed(planned(outcome), self._steps(outcome, arguments, options))

    async def run_pattern_async(self, outcome: Outcome, arguments: dict[str, Any], options: ReadOptions | None) -> Any:
        """Run a pattern on the running event loop and return its result."""
        return await self._run_observed_async(planned(outcome), self._steps(outcome, arguments, options))

    def count(self, outcome: Outcome, arguments: dict[str, Any], options: ReadOptions | None) -> int:
        """Return the number of items that a pattern finds."""
        plan = planned(outcome)
        return self._run_observed(plan, self._count_steps(plan, arguments, options or _DEFAULT))

    async def count_async(self, outcome: Outcome, arguments: dict[str, Any], options: ReadOptions | None) -> int:
        """Return the number of items that a pattern finds, on the running event loop."""
        plan = planned(outcome)
        return await self._run_observed_async(plan, self._count_steps(plan, arguments, options or _DEFAULT))

    def _count_steps(self, plan: Plan, arguments: dict[str, Any], options: ReadOptions) -> Steps[int]:
        return pagination.count_all(self.reader, plan, arguments, options)

    def every(self, outcome: Outcome, arguments: dict[str, Any], options: ReadOptions | None) -> Iterator[Any]:
        """Yield all items that a pattern finds; reads pages on demand."""
        plan = planned(outcome)
        found = self._start_query(plan, arguments, options or _DEFAULT)
        while (objects := self._run_observed(plan, pagination.next_objects(self.reader, plan, found))) is not None:
            yield from objects

    async def every_async(
        self, outcome: Outcome, arguments: dict[str, Any], options: ReadOptions | None
    ) -> AsyncIterator[Any]:
        """Yield all items that a pattern finds; reads pages on demand, on the running event loop."""
        plan = planned(outcome)
        found = self._start_query(plan, arguments, options or _DEFAULT)
        while True:
            objects = await self._run_observed_async(plan, pagination.next_objects(self.reader, plan, found))
            if objects is None:
                return
            for each in objects:
                yield each

    def _start_query(self, plan: Plan, arguments: dict[str, Any], options: ReadOptions) -> MergedQueries | SingleQuery:
        try:
            return pagination.start_query(self.reader, plan, arguments, options)
        except (ArgumentRefused, KeyRefused) as problem:
            name_pattern(problem, plan.pattern.name)
            raise

    def _run_observed(self, plan: Plan, steps: Steps[R]) -> R:
        """Run the steps of a pattern, and record its name in the events and spans of its requests."""
        try:
            if not self.session.is_observed:
                return run(steps, self.session)
            before = current_pattern.set(plan.pattern.name)
            try:
                return run(steps, self.session)
            finally:
                current_pattern.reset(before)
        except (ArgumentRefused, KeyRefused) as problem:
            name_pattern(problem, plan.pattern.name)
            raise

    async def _run_observed_async(self, plan: Plan, steps: Steps[R]) -> R:
        try:
            if not self.session.is_observed:
                with caller_for_recording():
                    return await run_async(steps, self.session)
            before = current_pattern.set(plan.pattern.name)
            try:
                with caller_for_recording():
                    return await run_async(steps, self.session)
            finally:
                current_pattern.reset(before)
        except (ArgumentRefused, KeyRefused) as problem:
            name_pattern(problem, plan.pattern.name)
            raise

    def _steps(self, outcome: Outcome, arguments: dict[str, Any], options: ReadOptions | None) -> Steps[Any]:
        plan, chosen = planned(outcome), options or _DEFAULT
        if isinstance(plan.pattern.intent, ItemWriteIntent):
            if options is not None:
                raise ArgumentRefused(f"{plan.pattern.name} is a write; using(...) accepts options for reads only")
            return self.writer.pattern(plan, arguments)
        match plan.pattern.intent:
            case GetIntent():
                return get_one(self.reader, plan, arguments, chosen)
            case QueryIntent() | FeedIntent():
                return pagination.query_page(self.reader, plan, arguments, chosen)
            case CollectionIntent():
                return read_collection(self.reader, plan, arguments, chosen)
            case WithinIntent():
                return read_area(self.reader, plan, arguments, chosen)
            case AncestorsIntent():
                return read_ancestors(self.reader, plan, arguments, chosen)
            case _:
                raise AssertionError("all other intents are writes")


def planned(outcome: Outcome) -> Plan:
    """Return the plan of a pattern; raise DesignError if the model does not support the pattern."""
    if isinstance(outcome, UnsupportedPattern):
        from singletable.planner.explanation import unsupported_problem

        raise DesignError(unsupported_problem(outcome))
    return outcome
