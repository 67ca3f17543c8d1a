"""Migrating table: new code reads and writes with the old or the new form of items while a migration is open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, cast

from singletable.client.connected_table import ConnectedTable, planned
from singletable.client.design_lease import DualLease, open_migration
from singletable.client.items.item_types import ItemTypes
from singletable.client.key_moves import KeyMoves
from singletable.client.reading import pagination
from singletable.client.reading.both_keys import RangesOfBothKeys, without_fanout
from singletable.client.reading.table_reader import ReadOptions, TableReader
from singletable.client.request_steps import Step, Steps, with_responses, with_uses
from singletable.client.write.prepare_actions import Preparer
from singletable.client.write.table_writer import Writer
from singletable.errors import RequestRefused, TableDiffers, Unreachable
from singletable.evolve.phases import FormUse, ItemForm
from singletable.lazy_dataclass import replace
from singletable.model.intents import ItemWriteIntent
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.plan import Outcome, Plan, UnsupportedPattern
from singletable.planner.planner import plan as plan_pattern

if TYPE_CHECKING:
    from singletable.evolve.dual_designs import DualDesigns
    from singletable.model.design import Design

R = TypeVar("R")
_WRITES = frozenset({"put", "create", "upsert", "update", "delete", "move", "edit"})


class MigratingTable(ConnectedTable):
    """An open table of new code: each call uses the form of items that the phase of the migration requires."""

    def __init__(self, table: ConnectedTable, designs: DualDesigns, lease: DualLease) -> None:
        reader = replace(table.reader, has_two_keys=bool(designs.moved))
        super().__init__(table.session, reader, returns_items=table.returns_items)
        self.session.lease = self._lease = lease
        old, new = self._reader_of(designs.old), self._reader_of(designs.new)
        readers = {FormUse.READS_OLD: old, FormUse.READS_NEW: replace(new, has_two_keys=False)}
        self._moves: KeyMoves | None = None
        if designs.moved:
            preparer = Preparer(designs.new, new.name, new.item_types, new.now)
            self._moves = KeyMoves(preparer, designs.moved)
            for use in (FormUse.READS_BOTH_KEYS, FormUse.READS_RETURNING):
                both = RangesOfBothKeys(old, designs.moved, is_returning=use is FormUse.READS_RETURNING)
                readers[use] = replace(new, both_keys=both)
        self._reads = {use: self._table(reader, reader) for use, reader in readers.items()}
        self._writes = {
            form: self._table(readers[form.reads] if designs.moved else self._reader_of(design), readers[form.reads])
            for form, design in designs.writes.items()
        }
        self._incomplete = designs.incomplete
        self._finds_copies = any(entity.declaration.copies for entity in designs.both.entities)
        self._outcomes: dict[tuple[int, str], Outcome] = {}

    def _reader_of(self, design: Design) -> TableReader:
        return replace(self.reader, design=design, item_types=ItemTypes(design))

    def _table(self, reader: TableReader, finder: TableReader) -> ConnectedTable:
        table = ConnectedTable(self.session, reader, returns_items=self.returns_items)
        table.finder = finder
        return table

    @property
    def writer(self) -> Writer:
        """A writer whose writes choose the form of items when they start."""
        return cast("Writer", MigratingWriter(self, self._reads[FormUse.READS_NEW].writer))

    @property
    def has_new_keys(self) -> bool:
        """Whether all items have the keys of the model."""
        return self.run(self._current_form()).reads is FormUse.READS_NEW

    def read_steps(self, make: Callable[[ConnectedTable], Steps[R]]) -> Steps[R]:
        """Return the steps of a read by key on the table with the current form."""
        return self._guarded(lambda form: make(self._reads[form.reads]), _reads_of)

    def write_steps(self, make: Callable[[ConnectedTable], Steps[R]]) -> Steps[R]:
        """Return the steps of a write on the table with the current form."""

        def make_for(form: ItemForm) -> Steps[R]:
            if form.writes is FormUse.WRITES_NOTHING:
                raise self._not_yet("the write", "an undo moves the items back", "after the undo")
            return make(self._writes[form])

        return self._guarded(make_for, lambda form: form if self._finds_copies else (form.writes,))

    def _steps(self, outcome: Outcome, arguments: dict[str, Any], options: ReadOptions | None) -> Steps[Any]:
        pattern = planned(outcome).pattern
        if isinstance(pattern.intent, ItemWriteIntent):
            return self.write_steps(
                lambda table: table._steps(self._outcome(table, pattern), arguments, options)  # its class
            )

        def make(form: ItemForm) -> Steps[Any]:
            table = self._reads[form.reads]
            return table._steps(self._planned_on(table, pattern), arguments, options)  # its class

        return self._guarded(make, _reads_of)

    def _count_steps(self, plan: Plan, arguments: dict[str, Any], options: ReadOptions) -> Steps[int]:
        def make(form: ItemForm) -> Steps[int]:
            table = self._reads[form.reads]
            return table._count_steps(self._planned_on(table, plan.pattern), arguments, options)  # its class

        return self._guarded(make, _reads_of)

    def every(self, outcome: Outcome, arguments: dict[str, Any], options: ReadOptions | None) -> Iterator[Any]:
        """Yield all items that a pattern finds; every page uses the form of the first one."""
        plan, chosen = planned(outcome), options or ReadOptions()
        form, own = self.run(self._start(plan))
        reader = self._reads[form.reads].reader
        found = pagination.start_query(reader, own, arguments, chosen)
        while (objects := self._run_observed(plan, self._next(reader, own, found, form))) is not None:
            yield from objects

    async def every_async(
        self, outcome: Outcome, arguments: dict[str, Any], options: ReadOptions | None
    ) -> AsyncIterator[Any]:
        """Yield all items that a pattern finds; every page uses the form of the first one."""
        plan, chosen = planned(outcome), options or ReadOptions()
        form, own = await self.run_async(self._start(plan))
        reader = self._reads[form.reads].reader
        found = pagination.start_query(reader, own, arguments, chosen)
        while (objects := await self._run_observed_async(plan, self._next(reader, own, found, form))) is not None:
            for each in objects:
                yield each

    def _start(self, plan: Plan) -> Steps[tuple[ItemForm, Plan]]:
        form = yield from self._current_form()
        return form, self._planned_on(self._reads[form.reads], plan.pattern)

    def _next(self, reader: TableReader, plan: Plan, found: Any, form: ItemForm) -> Steps[list[Any] | None]:
        return self._checked(self._moved(pagination.next_objects(reader, plan, found), form), (form.reads,))

    def _moved(self, steps: Steps[R], form: ItemForm) -> Steps[R]:
        """Return the steps of a call with the requests that both keys of the items require."""
        if self._moves is None or form.reads not in (FormUse.READS_BOTH_KEYS, FormUse.READS_RETURNING):
            return steps
        return self._moves.translated(steps, form)

    def _planned_on(self, table: ConnectedTable, pattern: PatternDeclaration) -> Plan:
        """Return the plan of a read; raise TableDiffers if only an index serves it that is not complete yet."""
        outcome = self._outcome(table, pattern)
        early = table is self._reads[FormUse.READS_OLD]
        missing = self._incomplete & table.reader.design.classes_by_pattern[pattern.name] if early else ()
        if not missing and not isinstance(outcome, UnsupportedPattern):
            both = table.reader.both_keys
            problem = None if both is None else both.problem_of(outcome)
            if problem is None:
                return outcome
            raise self._not_yet(pattern.name, problem)
        why = ", ".join(sorted(f"the table does not contain every {each.__name__}" for each in missing))
        if isinstance(outcome, UnsupportedPattern):
            why = f"no index of the old design serves it ({outcome.reason})"
        raise self._not_yet(pattern.name, why)

    def _not_yet(self, name: str, why: str, when: str = "from the phase 'switch' on") -> TableDiffers:
        state = self._lease.state
        assert state is not None, "a migration is open"
        return TableDiffers(
            f"{open_migration(self.reader.name, state)}, so {name} cannot be called yet: {why}.\n  It works "
            f"{when}; `singletable migrate status` shows the progress."
        )

    def _outcome(self, table: ConnectedTable, pattern: PatternDeclaration) -> Outcome:
        key = (id(table.reader.design), pattern.name)
        known = self._outcomes.get(key)
        if known is None:
            is_moved_later = self._moves is not None and table is self._reads[FormUse.READS_OLD]
            known = plan_pattern(table.reader.design, without_fanout(pattern) if is_moved_later else pattern)
            self._outcomes[key] = known
        return known

    def _guarded(
        self, make: Callable[[ItemForm], Steps[R]], uses_of: Callable[[ItemForm], Iterable[FormUse]]
    ) -> Steps[R]:
        """Create the steps of a call with the form of the current phase."""
        form = yield from self._current_form()
        return (yield from self._checked(self._moved(make(form), form), tuple(uses_of(form))))

    def _current_form(self) -> Steps[ItemForm]:
        yield from self._renew_if_due()
        self._lease.check("GetItem")  # raises TableDiffers after the migration was undone, or a later one
        return self._lease.form

    def _checked(self, steps: Steps[R], uses: tuple[FormUse, ...]) -> Steps[R]:
        """Let the session check before each request that the phase still allows the form with which a call began."""

        def respond(step: Step) -> Steps[Any]:
            return (yield with_uses(step, uses))

        return with_responses(steps, respond)

    def _renew_if_due(self) -> Steps[None]:
        lease = self._lease
        if not lease.is_due:
            return
        request = lease.request()
        asked_at = lease.asked_at
        try:
            (body,) = yield (request,)
        except (RequestRefused, Unreachable):  # the known state stays; its age limits later requests
            return
        lease.renew(body, asked_at)


class MigratingWriter:
    """The writes of a migrating table, each with the form of the phase in which it starts."""

    def __init__(self, table: MigratingTable, newest: Writer) -> None:
        self._table, self._newest = table, newest

    def __getattr__(self, name: str) -> Any:
        if name not in _WRITES:
            return getattr(self._newest, name)
        return lambda *args, **options: self._table.write_steps(
            lambda table: getattr(table.writer, name)(*args, **options)
        )


def _reads_of(form: ItemForm) -> tuple[FormUse, ...]:
    return (form.reads,)
