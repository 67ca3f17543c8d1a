"""Tables: a class whose keywords are the table's settings and whose methods are its access patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, overload

from singletable.client.pattern import Pattern
from singletable.client.table_body import RESERVED, TableBody
from singletable.errors import DesignError, NotConnected, Problem
from singletable.model import source
from singletable.model.codecs.text import ORDERED_DELIMITER
from singletable.model.entity import ACCEPT_REMEDY, Accepted, accept_problem
from singletable.model.index import GSI, LSI
from singletable.model.settings import TableSettings

if TYPE_CHECKING:
    from singletable.client.awaited import AwaitedTable
    from singletable.client.batch_result import BatchProgress, BatchResult
    from singletable.client.key import Key
    from singletable.client.metrics import Metrics
    from singletable.client.open_table import OpenTable
    from singletable.client.policy import Retries, Timeouts
    from singletable.client.reading.scan import Scan
    from singletable.client.transaction import Transaction
    from singletable.client.watched import Hook
    from singletable.engine.engine import Engine
    from singletable.model.changes import FieldChange
    from singletable.model.design import Design
    from singletable.model.rules.value_rules import Validation

E = TypeVar("E")


class Table(TableBody):
    """A table: entities, indexes and access patterns, compiled when the class is made.

    Class keywords: `entities` (the classes), `name` (the class's own by default), `keys` (the names of the key
    attributes, `PK` and `SK`), `indexes` (only what differs from the defaults: names, attributes, projections),
    `type_attribute` (which says what an item is; None for a table without one), `schema_version_attribute`,
    `ttl_attribute`, `delimiter` (only `#` keeps the order of text of any length), and `accept` (findings accepted with
    a reason). A table is closed by `close`, or by the end of a `with` or `async with` block.
    """

    design: ClassVar[Design]
    _open: OpenTable | None = None  # what stands behind the table, once it is opened

    @classmethod
    def open(
        cls,
        url: str | Engine,
        *,
        create: bool = False,
        name: str | None = None,
        secret: bytes | str | None = None,
        cursor_seconds: float | None = None,
        retries: Retries | None = None,
        timeouts: Timeouts | None = None,
        hook: Hook | None = None,
        now: Callable[[], float] | None = None,
        unreadable: Literal["raise", "report"] = "raise",
    ) -> Self:
        """Opens the table at `memory:`, `file:PATH`, `http://HOST:PORT`, `dynamodb://REGION`, or in an engine.

        `create` makes the table from the model when it is not there. `name` is the table's, where it is not the
        model's. `secret` signs cursors, which then hold for every process that has it, and for `cursor_seconds`.
        `retries` and `timeouts` say how patient it is; `hook` is told of every request. `now` is the clock by which
        items and cursors expire; by default an engine's own, or the machine's. A table that is not there, or not as
        the model says, is TableDiffers.

        A read of an item that the model cannot read raises ItemRefused. With `unreadable="report"`, it returns the
        other items: `Page.unreadable` lists the unreadable ones, and reads without a page issue an
        UnreadableItemWarning for each. A read of one item still raises.
        """
        from singletable.client.opening import open_table

        table = cls()
        table._open = open_table(
            cls.design,
            url,
            create=create,
            name=name,
            secret=secret,
            cursor_seconds=cursor_seconds,
            retries=retries,
            timeouts=timeouts,
            hook=hook,
            now=now,
            unreadable=unreadable,
        )
        return table

    @property
    def aio(self) -> AwaitedTable:
        """The same reads and writes, awaited."""
        from singletable.client.awaited import AwaitedTable

        return AwaitedTable(self._opened())

    @property
    def metrics(self) -> Metrics:
        """What calls have consumed since the table was opened, by pattern."""
        return self._opened().reader.metrics

    def get(self, key: Key[E], *, consistent: bool = False, expired: bool = False) -> E | None:
        """The object of a key, or None: `shop.get(key(Order, id="o1"))`."""
        opened = self._opened()
        found: E | None = opened.run(table_reads().get(opened, key, consistent=consistent, expired=expired))
        return found

    def get_many(
        self, keys: Iterable[Key[E]], *, consistent: bool = False, transaction: bool = False
    ) -> list[E | None]:
        """The objects of keys of any entities, in their order, and None for what is not there.

        `transaction` reads at most 100 keys, all as they are at one moment; TransactionCancelled otherwise.
        """
        opened = self._opened()
        found: list[E | None] = opened.run(
            table_reads().get_many(opened, keys, consistent=consistent, transaction=transaction)
        )
        return found

    def put(self, value: E) -> E:
        """Writes an object in place of the one with its key.

        An entity with a version is only written in place of the version it was read as; VersionConflict otherwise.
        """
        opened = self._opened()
        written: E = opened.run(opened.writer.put(value))
        return written

    def create(self, value: E) -> E:
        """Writes an object that must not be there yet; AlreadyExists otherwise."""
        opened = self._opened()
        written: E = opened.run(opened.writer.create(value))
        return written

    def upsert(self, value: E) -> E:
        """Writes every field of an object, leaves what else the item has, and makes the item when it is not there."""
        opened = self._opened()
        written: E = opened.run(opened.writer.upsert(value))
        return written

    def update(
        self,
        target: E | Key[E],
        *changes: FieldChange[E],
        where: Callable[[E], bool] | None = None,
        validate: Validation = "whole",
    ) -> E:
        """Changes fields of an item that is there, and every index key that is made of them; returns the new object.

        `shop.update(order, field(Order, lambda o: o.status).set("SHIPPED"), where=lambda o: o.status == "PENDING")`.
        The target is an object, whose version must still be its version, or a key.
        """
        opened = self._opened()
        changed: E = opened.run(opened.writer.update(target, changes, where, validate))
        return changed

    @overload
    def delete(self, target: Key[E], *, where: Callable[[E], bool] | None = None, raw: bool = False) -> E | None: ...
    @overload
    def delete(self, target: E, *, where: Callable[[E], bool] | None = None, raw: bool = False) -> E | None: ...
    def delete(self, target: Any, *, where: Callable[[Any], bool] | None = None, raw: bool = False) -> Any:
        """Deletes an item if the condition holds; returns the deleted object, or None if there was none.

        An item that the model cannot read is deleted and returned as a dict of its raw attributes, with a warning. An
        entity with derived data raises ItemRefused before that; `raw=True` deletes the item and leaves derived data.
        """
        opened = self._opened()
        return opened.run(opened.writer.delete(target, where, raw=raw))

    def move(self, old: E, new: E) -> E:
        """Writes an object under another key in place of one that nobody has changed since it was read.

        The old item goes and the new one comes in one transaction, with everything that is kept right beside them.
        """
        opened = self._opened()
        moved: E = opened.run(opened.writer.move(old, new))
        return moved

    def move_subtree(
        self,
        node: Key[E],
        *,
        to: tuple[str, ...],
        change: Callable[[E], E] | None = None,
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> int:
        """Moves a node and everything below it to another path: `key(Node, org="o", path=("root", "eng"))`.

        Up to 50 nodes go in each transaction, parents first; interrupted, the same call goes on from there. `change` is
        given each node with its new path and returns what is written. Returns how many were moved.
        """
        opened = self._opened()
        moved: int = opened.run(subtree().move_subtree(opened, node, to, change, progress))
        return moved

    def edit(self, key: Key[E], change: Callable[[E], E], *, attempts: int = 20) -> E:
        """Writes what a function makes of an object, and calls it again when somebody else has written meanwhile.

        The entity has a version; after so many attempts in vain, VersionConflict.
        """
        opened = self._opened()
        edited: E = opened.run(opened.writer.edit(key, change, attempts))
        return edited

    def transaction(self, *, token: str | None = None) -> Transaction:
        """Writes that happen together or not at all, when the block ends: `with shop.transaction() as tx:`.

        `async with` awaits them. With a `token`, the transaction can be repeated: a marker with the token joins it,
        and a second transaction with the same token and the same writes changes nothing and sets `tx.is_replay`. The
        marker expires after a day; in a table without a time to live it stays.
        """
        from singletable.client.transaction import Transaction

        return Transaction(self._opened(), token)

    def put_many(
        self,
        values: Iterable[E],
        *,
        trusted: bool = False,
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> BatchResult[E]:
        """Writes any number of objects in place of the stored ones; the result lists those that failed, with reasons.

        Plain entities are written by BatchWriteItem; entities with a version or derived data by conditional writes and
        transactions, each of which is atomic. `trusted` skips validation, for data that is known to be valid.
        """
        opened = self._opened()
        result: BatchResult[E] = opened.run(bulk().put_many(opened, values, progress, trusted=trusted))
        return result

    def create_many(
        self, values: Iterable[E], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[E]:
        """Writes any number of objects that must not exist yet; the result lists those that failed, with reasons."""
        opened = self._opened()
        result: BatchResult[E] = opened.run(bulk().create_many(opened, values, progress))
        return result

    @overload
    def update_many(
        self,
        targets: Iterable[Key[E]],
        *changes: FieldChange[E],
        where: Callable[[E], bool] | None = None,
        validate: Validation = "whole",
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> BatchResult[Key[E]]: ...
    @overload
    def update_many(
        self,
        targets: Iterable[E],
        *changes: FieldChange[E],
        where: Callable[[E], bool] | None = None,
        validate: Validation = "whole",
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> BatchResult[E]: ...
    def update_many(
        self,
        targets: Iterable[Any],
        *changes: FieldChange[Any],
        where: Callable[[Any], bool] | None = None,
        validate: Validation = "whole",
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> BatchResult[Any]:
        """Makes the same changes to the items of any number of keys or objects; the result lists those that failed."""
        opened = self._opened()
        result: BatchResult[Any] = opened.run(bulk().update_many(opened, targets, changes, where, validate, progress))
        return result

    def delete_many(
        self, targets: Iterable[E], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[E]:
        """Deletes the items of any number of keys or objects; the result lists those that failed, with reasons."""
        opened = self._opened()
        result: BatchResult[E] = opened.run(bulk().delete_many(opened, targets, progress))
        return result

    def delete_collection(
        self, root: Key[Any], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[Key[Any] | Mapping[str, Any]]:
        """Deletes every item in the partition of `key(Order, id="o1")`, the order last; call again to continue."""
        from singletable.client.collection_delete import delete_collection

        opened = self._opened()
        return opened.run(delete_collection(opened, root, progress))

    @overload
    def scan(
        self, entity: type[E], *, reason: str, segments: int = 1, consistent: bool = False, expired: bool = False
    ) -> Scan[E]: ...
    @overload
    def scan(
        self, entity: None = None, *, reason: str, segments: int = 1, consistent: bool = False, expired: bool = False
    ) -> Scan[object]: ...
    def scan(
        self,
        entity: type[Any] | None = None,
        *,
        reason: str,
        segments: int = 1,
        consistent: bool = False,
        expired: bool = False,
    ) -> Scan[Any]:
        """Every object of an entity, or of all, by `for` or `async for`; it reads, and is billed for, the whole table.

        `reason` says why no pattern does, and names the scan in `metrics`. `segments` are read side by side.
        """
        scanned: Scan[Any] = table_reads().scan(
            self._opened(), entity, reason=reason, segments=segments, consistent=consistent, expired=expired
        )
        return scanned

    def close(self) -> None:
        """Lets go of the connection; it may be called twice."""
        if self._open is not None:
            self._open.session.close()
            self._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._open is not None:
            opened, self._open = self._open, None
            await opened.session.close_async()

    def _opened(self) -> OpenTable:
        if self._open is None:
            name = type(self).__name__
            raise NotConnected(f'{name} is not open; open it, such as {name}.open("memory:")')
        return self._open

    def __init_subclass__(
        cls,
        *,
        entities: Sequence[type],
        name: str | None = None,
        keys: tuple[str] | tuple[str, str] | None = None,
        indexes: Sequence[GSI | LSI] = (),
        type_attribute: str | None = "entity_type",
        schema_version_attribute: str = "schema_v",
        ttl_attribute: str | None = None,
        delimiter: str = ORDERED_DELIMITER,
        accept: Accepted | None = None,
    ) -> None:
        from singletable.model.design import compile_design  # with all codecs: a program without a table needs none

        super().__init_subclass__()
        location = source.user_code()
        if problem := accept_problem(accept):
            raise DesignError(Problem(f"{cls.__name__}: {problem}", location, ACCEPT_REMEDY))
        if not isinstance(entities, list | tuple):
            shown = getattr(entities, "__name__", repr(entities))
            raise DesignError(Problem(f"{cls.__name__}: entities={shown} is no list of classes", location))
        settings = TableSettings(
            name or cls.__name__,
            location,
            keys,
            tuple(indexes),
            type_attribute,
            schema_version_attribute,
            ttl_attribute,
            delimiter,
            dict(accept or {}),
        )
        members = {name: member for base in reversed(cls.__mro__) for name, member in vars(base).items()}
        patterns = [member.named(name) for name, member in members.items() if isinstance(member, Pattern)]
        _refuse_reserved(patterns)
        cls.design = compile_design(settings, entities, [pattern.declaration for pattern in patterns])


def table_reads() -> Any:
    """Reads by key, loaded with the first of them."""
    from singletable.client.reading import table_reads as loaded

    return loaded


def bulk() -> Any:
    """Bulk writes, loaded with the first of them."""
    from singletable.client.write import bulk as loaded

    return loaded


def subtree() -> Any:
    """The move of a subtree, loaded with the first of them."""
    from singletable.client import subtree as loaded

    return loaded


def _refuse_reserved(patterns: Sequence[Pattern[..., Any]]) -> None:
    problems = [
        Problem(
            f"the pattern {pattern.declaration.name!r} takes a name that every table has",
            pattern.declaration.location,
            "Name it for what it answers, such as orders_of_customer.",
        )
        for pattern in patterns
        if pattern.declaration.name in RESERVED
    ]
    if problems:
        raise DesignError(problems)
