"""The live tail of the changes of a table: reads its stream, and shows each change with typed old and new values."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from singletable.client.request_session import Session
from singletable.client.request_steps import run
from singletable.document.item_collections import text_of
from singletable.document.svg import clean
from singletable.errors import ArgumentRefused, ItemRefused, StreamRefused
from singletable.model.entity import Entity
from singletable.model.stream_handlers import ChangeKind
from singletable.model.table_schema import STREAM_VIEW
from singletable.planner.formatting import format_count
from singletable.planner.stored_items import field_value
from singletable.streams.shard_reader import ShardReader, StreamShard, StreamStart, latest_stream, shards_of
from singletable.streams.stream_records import StreamRecord
from singletable.studio.item_rows import INTERNAL, NO_ENTITY, Item, item_id
from singletable.studio.key_pieces import KeyPieces, key_texts, value_text
from singletable.studio.page_templates import render
from singletable.studio.recorded_requests import TimedTransport
from singletable.studio.studio_store import send
from singletable.studio.workspace import TableView, Workspace

Document = dict[str, Any]
PAGE_RECORDS = 50
TAILS_MAX = 20
TEXT_CHARACTERS_MAX = 2_000
_SCALARS = (str, int, float, Decimal, datetime, date, Enum, UUID)


@dataclass
class StreamTail:
    """The position of one page in the stream of a table."""

    session: Session
    arn: str
    readers: dict[str, ShardReader] = field(default_factory=dict)
    finished: set[str] = field(default_factory=set)

    def start(self, start: StreamStart) -> None:
        """Begin with the oldest record, or with the next change."""
        shards = run(shards_of(self.arn), self.session)
        if start == "latest":
            parents = {shard.parent for shard in shards}
            self.finished = {shard.id for shard in shards if shard.id in parents}
        self._add(shards, start)

    def records(self) -> list[StreamRecord]:
        """Return the next records of every open shard, the oldest first."""
        found: list[StreamRecord] = []
        for name, reader in list(self.readers.items()):
            records, is_over = run(reader.page(PAGE_RECORDS), self.session)
            found += records
            if records:
                reader.checkpoint = records[-1].sequence  # where to continue after the iterator has expired
            if is_over:
                del self.readers[name]
                self.finished.add(name)
                self._add(run(shards_of(self.arn), self.session), "oldest")
        return sorted(found, key=lambda record: (record.seconds, int(record.sequence)))

    def _add(self, shards: list[StreamShard], start: StreamStart) -> None:
        """Add the shards whose parents are read to their end."""
        listed = {shard.id for shard in shards}
        for shard in shards:
            is_waiting = shard.parent in listed and shard.parent not in self.finished
            if shard.id not in self.readers and shard.id not in self.finished and not is_waiting:
                self.readers[shard.id] = ShardReader(self.arn, shard, None, start, accept_loss=True)


@dataclass(frozen=True)
class ShownField:
    """A field, or another attribute, before and after a change. None if it has no value."""

    name: str
    type: str
    old: str | None
    new: str | None

    @property
    def is_changed(self) -> bool:
        """Whether the texts differ."""
        return self.old != self.new


@dataclass(frozen=True)
class ShownChange:
    """One change of an item."""

    kind: ChangeKind
    entity: int
    label: str
    id: str
    key: KeyPieces
    time: str
    sequence: str
    fields: tuple[ShownField, ...]
    attributes: tuple[ShownField, ...]
    """The other attributes, such as keys of indexes."""
    problem: str = ""


def page(workspace: Workspace, view: TableView, given: Mapping[str, str]) -> Document:
    """Return the values of the page. Nothing is read before the page requests it."""
    return {"is_billed": workspace.store.is_billed}


def changes(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Return the changes since the last request of a page, or begin to follow the stream."""
    name = str(given.get("tail") or "")
    tail = workspace.tails.get(name)
    if tail is None or not tail.readers:  # a stream without open shards was disabled; another one may have replaced it
        is_oldest = tail is not None or given.get("start") == "oldest"
        tail = _started(workspace, view, "oldest" if is_oldest else "latest", None if tail is None else tail.arn)
        if tail is None:
            return {"missing": render("stream_missing.html", store=workspace.store, view_type=STREAM_VIEW)}
        name = secrets.token_urlsafe(8)
        while len(workspace.tails) >= TAILS_MAX:
            workspace.tails.pop(next(iter(workspace.tails)), None)
        workspace.tails[name] = tail
    records = tail.records()
    found = [change for record in records for change in shown_changes(view, record)]
    html = render("stream_changes.html", changes=found[::-1], table=view.design.name)
    internal = sum(change.entity == INTERNAL for change in found)
    counts = {"count": len(found) - internal, "internal": internal, "shards": format_count(len(tail.readers), "shard")}
    return {"tail": name, "html": html, "has_more": bool(records), **counts}


def _started(workspace: Workspace, view: TableView, start: StreamStart, ended: str | None) -> StreamTail | None:
    """Begin to follow the stream of a table. Return None if the table has no stream, or only the one that has ended."""
    opened = view.opened()
    try:
        arn = opened.run(latest_stream(opened.reader.name))
    except StreamRefused:
        return None
    if arn == ended:
        return None
    session = opened.session
    for_streams = getattr(session.transport, "for_streams", None)
    if for_streams is not None:  # AWS serves streams at another host
        transport = TimedTransport(for_streams(), workspace.store.total)
        session = Session(transport, session.retries, log=session.log)
    tail = StreamTail(session, arn)
    tail.start(start)
    return tail


def enable(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Enable the stream of a table."""
    if not workspace.store.may_write:
        raise ArgumentRefused("The store is read-only. Start the studio with --write to change it.")
    opened = view.opened()
    stream = {"StreamEnabled": True, "StreamViewType": STREAM_VIEW}
    send(opened, "UpdateTable", {"TableName": opened.reader.name, "StreamSpecification": stream})
    return {}


def shown_changes(view: TableView, record: StreamRecord) -> Iterator[ShownChange]:
    """Yield the changes of a record: one, or two if the item became an item of another entity."""
    numbers = [None if each is None else view.rows.number_of(each) for each in (record.old, record.new)]
    if None not in numbers and numbers[0] != numbers[1]:
        yield _shown(view, record, record.old, None)
        yield _shown(view, record, None, record.new)
    else:
        yield _shown(view, record, record.old, record.new)


def _shown(view: TableView, record: StreamRecord, old: Item | None, new: Item | None) -> ShownChange:
    item = new if new is not None else old
    assert item is not None, "a record has at least one image"
    rows, design = view.rows, view.design
    number = rows.number_of(item)
    entity = design.entities[number] if number >= 0 else None
    kind: ChangeKind = "insert" if old is None else "modify" if new is not None else "remove"
    fields: tuple[ShownField, ...] = ()
    stored: frozenset[str] = frozenset()
    problem = ""
    if entity is not None:
        try:
            fields = tuple(_fields(view, entity, old, new))
            stored = frozenset(entity.attributes.values())
        except ItemRefused as refusal:
            problem = str(refusal)
    attributes = (*design.table.partition, *design.table.sort)
    return ShownChange(
        kind="expire" if kind == "remove" and record.is_expiry else kind,
        entity=number,
        label=rows.label_of(number),
        id=item_id(design, item) if number >= 0 or number == NO_ENTITY else "",
        key=key_texts(item, attributes, entity, design.table),
        time=datetime.fromtimestamp(record.seconds, UTC).strftime("%Y-%m-%d %H:%M:%S"),
        sequence=record.sequence,
        fields=fields,
        attributes=tuple(_attributes(old or {}, new or {}, stored)),
        problem=problem,
    )


def _fields(view: TableView, entity: Entity, old: Item | None, new: Item | None) -> Iterator[ShownField]:
    """Yield the fields, the changed ones first. Raise ItemRefused if the model cannot read an image."""
    decoder = view.rows.types.decoder(entity)
    before, after = (None if each is None else decoder.read(each) for each in (old, new))
    found = [
        ShownField(name, each.type_name, _text(entity, name, before), _text(entity, name, after))
        for name, each in entity.fields.items()
    ]
    yield from sorted(found, key=lambda each: not each.is_changed)


def _text(entity: Entity, name: str, made: Any) -> str | None:
    """Return the value of a field as text. None without an object, and for None."""
    value = None if made is None else getattr(made, name, None)
    if value is None:
        return None
    if isinstance(value, _SCALARS):
        return _short(value_text(value))
    stored = field_value(entity, name, value)
    return "{}" if stored is None else _short(text_of(stored))


def _attributes(old: Item, new: Item, stored: frozenset[str]) -> Iterator[ShownField]:
    """Yield the attributes that do not store a field."""
    for name in dict.fromkeys((*new, *old)):
        if name not in stored:
            texts = [None if name not in item else _short(text_of(item[name])) for item in (old, new)]
            ((kind, _),) = (new.get(name) or old[name]).items()
            yield ShownField(clean(name), kind, *texts)


def _short(text: str) -> str:
    if len(text) <= TEXT_CHARACTERS_MAX:
        return clean(text)
    return f"{clean(text[:TEXT_CHARACTERS_MAX])}… ({len(text):,} characters)"
