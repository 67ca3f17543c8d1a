"""Table: a class whose keywords are the settings of a table and whose methods are its access patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, Unpack, overload

from singletable.client.analytical_reads import AnalyticalReads
from singletable.client.pattern import Pattern
from singletable.client.table_metaclass import TableBody, reject_reserved
from singletable.errors import DesignError, NotConnected, Problem
from singletable.model import source_location
from singletable.model.codecs.text_codec import ORDERED_DELIMITER
from singletable.model.entity import ACCEPT_REMEDY, Accepted, accept_problem
from singletable.model.table_schema import GSI, LSI, TableSettings

if TYPE_CHECKING:
    from singletable.client.async_table import AsyncTable
    from singletable.client.batch_result import BatchProgress, BatchResult
    from singletable.client.boto3_transport import Boto3Client
    from singletable.client.connected_table import ConnectedTable
    from singletable.client.http.credentials import CredentialsOption
    from singletable.client.key import Key
    from singletable.client.metrics import Metrics
    from singletable.client.open_table import OpenOptions
    from singletable.client.reading.cursors import CursorProtection, CursorSecret
    from singletable.client.reading.table_scan import TableScan
    from singletable.client.retries import Retries, Timeouts
    from singletable.client.tracing import RequestHook
    from singletable.client.transaction import Transaction
    from singletable.engine.engine import RequestMethods
    from singletable.model.design import Design
    from singletable.model.stream_handlers import StreamHandler
    from singletable.model.update_changes import FieldChange
    from singletable.model.validation.value_rules import Validation

E = TypeVar("E")


class Table(AnalyticalReads, TableBody):
    """A table: entities, indexes and access patterns, compiled when Python creates the class.

    Class keywords: `entities` (the classes), `name` (default: the name of the class), `keys` (the names of the key
    attributes, default `PK` and `SK`), `indexes` (only differences from the defaults: names, attributes, projections),
    `type_attribute` (the attribute that names the entity of an item, or None), `schema_version_attribute`,
    `ttl_attribute`, `delimiter` (only `#` sorts strings of different lengths correctly in keys), `accept` (accepted
    findings with reasons), `handlers` (functions with `@on`), and `control_table` (the name of the table for reserved
    items, or True for a default). Close a table with `close`, or use it in a `with` or `async with` block.
    """

    design: ClassVar[Design]
    _open: ConnectedTable | None = None  # set by `open`

    @classmethod
    def open(
        cls,
        url: str | RequestMethods | Boto3Client,
        *,
        create: bool = False,
        check: bool = True,
        name: str | None = None,
        session: object | None = None,
        credentials: CredentialsOption | None = None,
        secret: CursorSecret | None = None,
        cursors: CursorProtection = "signed",
        cursor_seconds: float | None = None,
        retries: Retries | None = None,
        timeouts: Timeouts | None = None,
        hook: RequestHook | None = None,
        log_values: bool = False,
        now: Callable[[], float] | None = None,
        unreadable: Literal["raise", "report"] = "raise",
    ) -> Self:
        """Open the table at `memory:`, `file:PATH`, `http://HOST:PORT` or `dynamodb://REGION`, or in an engine.

        `create` creates a missing table from the model. `name` overrides the table name of the model. `session` is a
        boto3 session; `credentials` are credentials, or a function that returns them. If you pass a DynamoDB client of
        boto3 in place of the URL, this client sends every request. `secret` signs cursors. A cursor is valid in every
        process that has the same secret, and expires after `cursor_seconds`. With a list of secrets, the first secret
        signs, and cursors of the other secrets stay valid. `cursors="encrypted"` hides the keys. `retries` and
        `timeouts` are the retry and timeout settings. `hook` receives a RequestEvent for every request; `log_values`
        adds keys and values to log records. `now` is the clock for the expiry of items and cursors; the default is the
        clock of the engine or the machine. Raises TableDiffers if the table does not exist or does not match the model;
        this check needs the permission `dynamodb:DescribeTable`. `check=False` skips this check and sends no request.

        A read of an item that the model cannot read raises ItemRefused. With `unreadable="report"`, it returns the
        other items: `Page.unreadable` lists the unreadable ones, and reads without a page issue an
        UnreadableItemWarning for each. A read of one item still raises ItemRefused.
        """
        from singletable.client.open_table import OpenOptions, open_table

        table = cls()
        options = OpenOptions(
            create=create,
            check=check,
            name=name,
            session=session,
            credentials=credentials,
            secret=secret,
            cursors=cursors,
            cursor_seconds=cursor_seconds,
            retries=retries,
            timeouts=timeouts,
            hook=hook,
            log_values=log_values,
            now=now,
            unreadable=unreadable,
        )
        table._open = open_table(cls.design, url, options)
        return table

    @classmethod
    async def open_async(cls, url: str | RequestMethods | Boto3Client, **options: Unpack[OpenOptions]) -> Self:
        """Open the table like `open`, with the same options, without blocking the event loop.

        `url` can also be an aioboto3 client. This client then sends every request, and you can use only the asyncio
        methods of the table.
        """
        from singletable.client.open_table import open_table_async

        table = cls()
        table._open = await open_table_async(cls.design, url, options)
        return table

    @property
    def aio(self) -> AsyncTable:
        """The asyncio methods of the table."""
        from singletable.client.async_table import AsyncTable

        return AsyncTable(self._opened())

    @property
    def metrics(self) -> Metrics:
        """The requests and consumed capacity of each pattern since the table was opened."""
        return self._opened().reader.metrics

    def get(self, key: Key[E], *, consistent: bool = False, expired: bool = False) -> E | None:
        """Return the object with this key, or None: `shop.get(key(Order, id="o1"))`."""
        opened = self._opened()
        found: E | None = opened.run(
            opened.read_steps(lambda table: key_reads().get(table, key, consistent=consistent, expired=expired))
        )
        return found

    def get_many(
        self, keys: Iterable[Key[E]], *, consistent: bool = False, transaction: bool = False
    ) -> list[E | None]:
        """Return the objects in the order of the keys, with None for missing items.

        The keys can be of several entities. `transaction=True` reads at most 100 keys in one transaction, and raises
        TransactionCancelled on a conflict.
        """
        opened = self._opened()
        found: list[E | None] = opened.run(
            opened.read_steps(
                lambda table: key_reads().get_many(table, keys, consistent=consistent, transaction=transaction)
            )
        )
        return found

    def put(self, value: E) -> E:
        """Write an object, replacing the stored one with the same key.

        If the entity has a version, VersionConflict is raised unless the stored object has the same version as this
        object.
        """
        opened = self._opened()
        written: E = opened.run(opened.writer.put(value))
        return written

    def create(self, value: E) -> E:
        """Write a new object; raise AlreadyExists if its key exists."""
        opened = self._opened()
        written: E = opened.run(opened.writer.create(value))
        return written

    def upsert(self, value: E) -> E:
        """Write all fields of an object, and keep other stored attributes. Create the item if it does not exist."""
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
        """Change fields of an existing item, and the index keys that contain them; return the updated object.

        `shop.update(order, field(Order, lambda o: o.status).set("SHIPPED"), where=lambda o: o.status == "PENDING")`.
        The target is a key or an object. If you pass an object with a version, the stored version must be the same.
        """
        opened = self._opened()
        changed: E = opened.run(opened.writer.update(target, changes, where, validate))
        return changed

    @overload
    def delete(self, target: Key[E], *, where: Callable[[E], bool] | None = None, raw: bool = False) -> E | None: ...
    @overload
    def delete(self, target: E, *, where: Callable[[E], bool] | None = None, raw: bool = False) -> E | None: ...
    def delete(self, target: Any, *, where: Callable[[Any], bool] | None = None, raw: bool = False) -> Any:
        """Delete an item if the condition holds; return the deleted object, or None if there was none.

        If the model cannot read the item, the call deletes it, issues a warning, and returns a dict of its raw
        attributes. For an entity with derived data, it instead raises ItemRefused and deletes nothing; `raw=True`
        deletes such an item and leaves its derived data.
        """
        opened = self._opened()
        return opened.run(opened.writer.delete(target, where, raw=raw))

    def move(self, old: E, new: E) -> E:
        """Replace an object with an object that has another key, if the stored object still equals `old`.

        One transaction deletes the old item, writes the new one, and updates their derived data.
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
        """Move a node, such as `key(Node, org="o", path=("root", "eng"))`, and its descendants to another path.

        Each transaction moves up to 50 nodes, parents first. After an interruption, repeat the call to continue the
        move. `change` receives each node with its new path and returns the node to write. Returns the number of moved
        nodes.
        """
        opened = self._opened()
        moved: int = opened.run(subtree_moves().move_subtree(opened, node, to, change, progress))
        return moved

    def edit(self, key: Key[E], change: Callable[[E], E], *, attempts: int = 20) -> E:
        """Read an object, write the result of `change(object)`, and retry if another writer changes the item meanwhile.

        The entity must have a version. VersionConflict is raised after `attempts` attempts.
        """
        opened = self._opened()
        edited: E = opened.run(opened.writer.edit(key, change, attempts))
        return edited

    def transaction(self, *, token: str | None = None) -> Transaction:
        """Return a transaction that commits at the end of its block: `with shop.transaction() as tx:`.

        Use `async with` with asyncio. A `token` makes the transaction idempotent: the transaction also writes a marker,
        and a second transaction with the same token and the same writes changes nothing and sets `tx.is_replay`. The
        marker expires after a day. In a table without a time to live, it never expires.
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
        """Write any number of objects, replacing stored ones. The result lists failures with their reasons.

        BatchWriteItem writes entities without a version or derived data. Other entities need conditional writes and
        transactions, each of which is atomic. `trusted` skips validation; use it only for data that is known to be
        valid.
        """
        opened = self._opened()
        result: BatchResult[E] = opened.run(bulk().put_many(opened, values, progress, trusted=trusted))
        return result

    def create_many(
        self, values: Iterable[E], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[E]:
        """Write any number of new objects. The result lists failures, such as existing keys, with their reasons."""
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
        """Make the same changes to any number of items; the result lists failures with their reasons."""
        opened = self._opened()
        result: BatchResult[Any] = opened.run(bulk().update_many(opened, targets, changes, where, validate, progress))
        return result

    def delete_many(
        self, targets: Iterable[E], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[E]:
        """Delete any number of items, given by keys or objects; the result lists failures with their reasons."""
        opened = self._opened()
        result: BatchResult[E] = opened.run(bulk().delete_many(opened, targets, progress))
        return result

    def delete_collection(
        self, root: Key[Any], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[Key[Any] | Mapping[str, Any]]:
        """Delete every item in the partition of a root item, such as `key(Order, id="o1")`. The root is deleted last.

        After an error, repeat the call to continue the deletion.
        """
        from singletable.client.delete_collection import delete_collection

        opened = self._opened()
        return opened.run(delete_collection(opened, root, progress))

    @overload
    def scan(
        self, entity: type[E], *, reason: str, segments: int = 1, consistent: bool = False, expired: bool = False
    ) -> TableScan[E]: ...
    @overload
    def scan(
        self, entity: None = None, *, reason: str, segments: int = 1, consistent: bool = False, expired: bool = False
    ) -> TableScan[object]: ...
    def scan(
        self,
        entity: type[Any] | None = None,
        *,
        reason: str,
        segments: int = 1,
        consistent: bool = False,
        expired: bool = False,
    ) -> TableScan[Any]:
        """Return an iterable over all objects of one or all entities; use it with `for` or `async for`.

        A scan reads the whole table, and AWS bills all items that it reads. `reason` documents why you need a scan
        instead of a pattern, and is the name of the scan in `metrics`. `segments` is the number of segments to read in
        parallel.
        """
        from singletable.client.reading.table_scan import scan

        return scan(self._opened(), entity, reason=reason, segments=segments, consistent=consistent, expired=expired)

    def close(self) -> None:
        """Close the table and its connections. You can call it more than once."""
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

    def _opened(self) -> ConnectedTable:
        if self._open is None:
            name = type(self).__name__
            raise NotConnected(f'{name} is not open; open it first, for example with {name}.open("memory:")')
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
        handlers: Sequence[StreamHandler[..., Any]] = (),
        control_table: bool | str = False,
    ) -> None:
        from singletable.model.design import compile_design  # imports the codecs, which a table needs

        super().__init_subclass__()
        location = source_location.user_code()
        if problem := accept_problem(accept):
            raise DesignError(Problem(f"{cls.__name__}: {problem}", location, ACCEPT_REMEDY))
        if not isinstance(entities, list | tuple):
            shown = getattr(entities, "__name__", repr(entities))
            raise DesignError(Problem(f"{cls.__name__}: entities must be a list of classes, got {shown}", location))
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
            tuple(handlers),
            control_table,
        )
        members = {name: member for base in reversed(cls.__mro__) for name, member in vars(base).items()}
        patterns = [member.named(name) for name, member in members.items() if isinstance(member, Pattern)]
        reject_reserved(patterns)
        cls.design = compile_design(settings, entities, [pattern.declaration for pattern in patterns])


def key_reads() -> Any:
    """Return the module of reads by key, which is imported when it is first used."""
    from singletable.client.reading import key_reads as loaded

    return loaded


def bulk() -> Any:
    """Return the module of bulk writes, which is imported when it is first used."""
    from singletable.client.write import bulk_writes as loaded

    return loaded


def subtree_moves() -> Any:
    """Return the module of subtree moves, which is imported when it is first used."""
    from singletable.client import move_subtree as loaded

    return loaded
