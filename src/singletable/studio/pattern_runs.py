"""Pattern runs: run a pattern page by page, and describe its result, its requests and the rows that it read."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from datetime import time as time_of_day
from typing import Any

from singletable.client.connected_table import ConnectedTable
from singletable.client.pattern import binder
from singletable.client.reading.table_reader import ReadOptions
from singletable.demo.request_capture import Cost
from singletable.document.item_collections import text_of
from singletable.document.svg import clean
from singletable.errors import UnreadableItem
from singletable.model.design import Design
from singletable.model.intents import CollectionIntent, FeedIntent, Page
from singletable.model.pattern_declaration import CURSOR
from singletable.planner.plan import Plan
from singletable.studio.item_rows import ItemRow, ItemRows, item_id, reading_problem
from singletable.studio.key_pieces import KeyPieces, value_text
from singletable.studio.recorded_requests import TimedRequest, recorded


@dataclass(frozen=True)
class AnswerGroup:
    """Objects of one class in a result, as a table."""

    label: str
    entity: int
    columns: tuple[tuple[str, str], ...]
    """The name and the type of each field."""
    rows: tuple[tuple[str, ...], ...]
    member: str = ""
    """The field of the collection class that contains the objects. Empty for other results."""


@dataclass(frozen=True)
class UnreadableRow:
    """A stored item that a pattern has read, but that its entity cannot decode."""

    id: str
    """The table key as JSON."""
    key: str
    reason: str


@dataclass(frozen=True)
class RunPage:
    """One call of a pattern: its result, its requests and its time."""

    number: int
    groups: tuple[AnswerGroup, ...]
    requests: tuple[TimedRequest, ...]
    seconds: float
    cursor: str | None = None
    document: Any = None
    """The answer as JSON."""
    unreadable: tuple[UnreadableRow, ...] = ()

    @property
    def cost(self) -> Cost:
        """The requests and units of the page."""
        return sum((each.request.cost for each in self.requests), Cost())

    @property
    def returned(self) -> int:
        """The number of objects in the answer."""
        return sum(len(group.rows) for group in self.groups)

    @property
    def examined(self) -> int:
        """The number of items that DynamoDB read."""
        return sum(_examined(each) for each in self.requests)


@dataclass(frozen=True)
class DrawerRow:
    """A row that a request read, and the page of the result that read it."""

    row: ItemRow
    page: int


@dataclass(frozen=True)
class RowRun:
    """Adjacent rows of a drawer that one page has read."""

    page: int
    rows: tuple[ItemRow, ...]


@dataclass(frozen=True)
class ReadDrawer:
    """A partition with the rows that requests read, in the order of the sort key."""

    index: str
    partition: KeyPieces
    runs: tuple[RowRun, ...]
    more_before: bool = False
    more_after: bool = False
    """Whether the next page continues before or after these rows."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(len(run.rows) for run in self.runs)


@dataclass(frozen=True)
class PatternRun:
    """The pages of one call of a pattern that have been read."""

    pattern: str
    arguments: Mapping[str, Any]
    texts: tuple[str, ...]
    pages: tuple[RunPage, ...] = ()
    drawers: tuple[ReadDrawer, ...] = field(default=())

    @property
    def cost(self) -> Cost:
        """The requests and units of all pages."""
        return sum((page.cost for page in self.pages), Cost())

    @property
    def seconds(self) -> float:
        """The time of all pages."""
        return sum(page.seconds for page in self.pages)

    @property
    def retried(self) -> int:
        """The number of requests that failed, for example because of throttling, and were sent again."""
        return sum(each.request.error is not None for page in self.pages for each in page.requests)

    @property
    def returned(self) -> int:
        """The number of objects on all pages."""
        return sum(page.returned for page in self.pages)

    @property
    def unreadable(self) -> int:
        """The number of items that their entity cannot decode, on all pages."""
        return sum(len(page.unreadable) for page in self.pages)

    @property
    def discarded(self) -> int:
        """The number of items that were read, but neither returned nor unreadable."""
        return max(self.examined - self.returned - self.unreadable, 0)

    @property
    def examined(self) -> int:
        """The number of items that DynamoDB read for all pages."""
        return sum(page.examined for page in self.pages)

    @property
    def bytes(self) -> int:
        """The size of the items in the responses."""
        return sum(row.bytes for drawer in self.drawers for run in drawer.runs for row in run.rows)

    @property
    def cursor(self) -> str | None:
        """The cursor of the next page. None at the end."""
        return self.pages[-1].cursor if self.pages else None


def run_page(opened: ConnectedTable, rows: ItemRows, plan: Plan, run: PatternRun) -> PatternRun:
    """Read the next page of a run, or the result of a pattern without pages."""
    arguments = binder(plan.pattern.signature)(**run.arguments)
    options = None
    if run.cursor is not None:
        if CURSOR in plan.pattern.parameters:
            arguments[CURSOR] = run.cursor
        else:
            options = ReadOptions(None, False, None, run.cursor)
    with recorded() as requests:
        started = time.perf_counter()
        answer = opened.run_pattern(plan, arguments, options)
        seconds = time.perf_counter() - started
    page = _page(rows.design, plan, len(run.pages) + 1, answer, tuple(requests), seconds)
    pages = (*run.pages, page)
    return replace(run, pages=pages, drawers=tuple(_drawers(rows, pages)))


def without_last_page(rows: ItemRows, run: PatternRun) -> PatternRun:
    """Return a run as it was before its last page was read."""
    pages = run.pages[:-1]
    return replace(run, pages=pages, drawers=tuple(_drawers(rows, pages)))


def _page(
    design: Design, plan: Plan, number: int, answer: Any, requests: tuple[TimedRequest, ...], seconds: float
) -> RunPage:
    cursor: str | None = None
    unreadable: tuple[UnreadableRow, ...] = ()
    objects: Sequence[Any]
    if isinstance(answer, Page):
        cursor, objects = answer.cursor, list(answer.items)
        unreadable = tuple(_unreadable(design, each) for each in answer.unreadable)
    else:
        objects = [] if answer is None else answer if isinstance(answer, list) else [answer]
    groups = tuple(_groups(design, plan, objects))
    document = [_document(each) for each in objects]
    shown = document if isinstance(answer, Page | list) else document[0] if document else None
    return RunPage(number, groups, requests, seconds, cursor, shown, unreadable)


def _unreadable(design: Design, found: UnreadableItem) -> UnreadableRow:
    key = " / ".join(text_of(value) for value in found.key.values())
    return UnreadableRow(item_id(design, found.key), clean(key), reading_problem(found.reason))


def _groups(design: Design, plan: Plan, objects: Sequence[Any]) -> Iterator[AnswerGroup]:
    intent = plan.pattern.intent
    if not isinstance(intent, CollectionIntent):
        if objects:
            yield _group(design, objects, plan.entities[0].cls)
        return
    if isinstance(intent, FeedIntent):
        for cls in intent.entities:
            if own := [each for each in objects if isinstance(each, cls)]:
                yield _group(design, own, cls)
        return
    for shape in objects:
        for member, entity in design.members(intent):
            found = getattr(shape, member.name)
            members = list(found) if member.kind == "many" else [] if found is None else [found]
            if members:
                yield replace(_group(design, members, entity.cls), member=member.name)


def _group(design: Design, objects: Sequence[Any], cls: type) -> AnswerGroup:
    entity = design.entity_of(cls)
    number = design.entities.index(entity)
    names = [name for name in entity.fields if hasattr(objects[0], name)]
    columns = tuple((name, entity.fields[name].type_name) for name in names)
    rows = tuple(tuple(_cell(getattr(each, name)) for name in names) for each in objects)
    return AnswerGroup(entity.label, number, columns, rows)


def _cell(value: Any) -> str:
    return "" if value is None else value_text(value)


def _document(value: Any) -> Any:
    """Return an object as JSON. Numbers stay exact, and times have the ISO 8601 format."""
    if isinstance(value, list | tuple | set | frozenset):
        return [_document(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _document(each) for name, each in value.items()}
    if isinstance(value, bool | int | float) or value is None:
        return value
    if isinstance(value, bytes):
        return value.hex()
    fields = getattr(value, "__struct_fields__", None) or getattr(value, "__dict__", None)
    if fields and not isinstance(value, str) and type(value).__module__ not in ("decimal", "datetime", "uuid", "enum"):
        if hasattr(value, "value") and hasattr(type(value), "__members__"):
            return value.value
        return {name: _document(getattr(value, name)) for name in fields}
    return value.isoformat() if isinstance(value, date | time_of_day) else value_text(value)


def _examined(timed: TimedRequest) -> int:
    answer = timed.request.answer
    return int(answer["ScannedCount"]) if "ScannedCount" in answer else sum(1 for _ in timed.request.items())


@dataclass
class _Draft:
    """A drawer to which pages are added, with its rows in the order of the sort key."""

    index: str
    partition: KeyPieces
    rows: list[DrawerRow] = field(default_factory=list)
    more_before: bool = False
    more_after: bool = False


def _drawers(rows: ItemRows, pages: Sequence[RunPage]) -> Iterator[ReadDrawer]:
    found: dict[tuple[str, str], _Draft] = {}
    for page in pages:
        for timed in page.requests:
            if timed.request.is_read:
                _add(found, rows, page.number, timed)
    for draft in found.values():
        runs: list[RowRun] = []
        for each in draft.rows:
            if runs and runs[-1].page == each.page:
                runs[-1] = replace(runs[-1], rows=(*runs[-1].rows, each.row))
            else:
                runs.append(RowRun(each.page, (each.row,)))
        yield ReadDrawer(draft.index, draft.partition, tuple(runs), draft.more_before, draft.more_after)


def _add(found: dict[tuple[str, str], _Draft], rows: ItemRows, page: int, timed: TimedRequest) -> None:
    parameters, answer = timed.request.parameters, timed.request.answer
    index = rows.index(str(parameters.get("IndexName", "table")))
    if index is None:
        return
    forward = parameters.get("ScanIndexForward", True)
    touched: _Draft | None = None
    for item in timed.request.items():
        row = rows.row(item, index)
        touched = found.setdefault((index.label, row.partition_id), _Draft(index.label, row.partition))
        place = len(touched.rows) if forward else 0
        touched.rows.insert(place, DrawerRow(row, page))
        touched.more_before = touched.more_after = False
    if touched is not None and answer.get("LastEvaluatedKey"):
        touched.more_after, touched.more_before = forward, not forward
