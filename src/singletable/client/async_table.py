"""AsyncTable: the reads and writes of a table for asyncio, as `table.aio`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from singletable.client import move_subtree
from singletable.client.batch_result import BatchProgress, BatchResult
from singletable.client.delete_collection import delete_collection
from singletable.client.key import Key
from singletable.client.reading import key_reads
from singletable.client.transaction import Transaction
from singletable.client.write import bulk_writes
from singletable.model.update_changes import FieldChange
from singletable.model.validation.value_rules import Validation

if TYPE_CHECKING:
    from singletable.client.connected_table import ConnectedTable

E = TypeVar("E")


class AsyncTable:
    """The asyncio methods of `shop`, as `shop.aio`: its reads and writes are coroutines.

    Each pattern also has its own `.aio`.
    """

    def __init__(self, opened: ConnectedTable) -> None:
        self._opened = opened

    async def get(self, key: Key[E], *, consistent: bool = False, expired: bool = False) -> E | None:
        """Return the object with this key, or None."""
        found: E | None = await self._opened.run_async(
            self._opened.read_steps(lambda table: key_reads.get(table, key, consistent=consistent, expired=expired))
        )
        return found

    async def get_many(
        self, keys: Iterable[Key[E]], *, consistent: bool = False, transaction: bool = False
    ) -> list[E | None]:
        """Return the objects in the order of the keys, with None for each missing item.

        The keys may be of several entities.
        """
        found: list[E | None] = await self._opened.run_async(
            self._opened.read_steps(
                lambda table: key_reads.get_many(table, keys, consistent=consistent, transaction=transaction)
            )
        )
        return found

    async def put(self, value: E) -> E:
        """Write an object, replacing the stored one with the same key."""
        written: E = await self._opened.run_async(self._opened.writer.put(value))
        return written

    async def create(self, value: E) -> E:
        """Write a new object; raise AlreadyExists if its key exists."""
        written: E = await self._opened.run_async(self._opened.writer.create(value))
        return written

    async def upsert(self, value: E) -> E:
        """Write all fields of an object and keep the stored attributes that are not fields."""
        written: E = await self._opened.run_async(self._opened.writer.upsert(value))
        return written

    async def update(
        self,
        target: E | Key[E],
        *changes: FieldChange[E],
        where: Callable[[E], bool] | None = None,
        validate: Validation = "whole",
    ) -> E:
        """Change fields of an existing item and return the updated object."""
        changed: E = await self._opened.run_async(self._opened.writer.update(target, changes, where, validate))
        return changed

    @overload
    async def delete(
        self, target: Key[E], *, where: Callable[[E], bool] | None = None, raw: bool = False
    ) -> E | None: ...
    @overload
    async def delete(self, target: E, *, where: Callable[[E], bool] | None = None, raw: bool = False) -> E | None: ...
    async def delete(self, target: Any, *, where: Callable[[Any], bool] | None = None, raw: bool = False) -> Any:
        """Delete an item and return the deleted object."""
        return await self._opened.run_async(self._opened.writer.delete(target, where, raw=raw))

    async def move(self, old: E, new: E) -> E:
        """Replace `old` with `new`, which has another key, if the stored object still equals `old`."""
        moved: E = await self._opened.run_async(self._opened.writer.move(old, new))
        return moved

    async def move_subtree(
        self,
        node: Key[E],
        *,
        to: tuple[str, ...],
        change: Callable[[E], E] | None = None,
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> int:
        """Move a node and its descendants to another path; return the number of moved nodes."""
        moved: int = await self._opened.run_async(move_subtree.move_subtree(self._opened, node, to, change, progress))
        return moved

    async def edit(self, key: Key[E], change: Callable[[E], E], *, attempts: int = 20) -> E:
        """Read an object, write the result of `change`, and retry if another writer changes the item meanwhile."""
        edited: E = await self._opened.run_async(self._opened.writer.edit(key, change, attempts))
        return edited

    def transaction(self, *, token: str | None = None) -> Transaction:
        """Return a transaction that commits at the end of its block: `async with shop.aio.transaction() as tx:`."""
        return Transaction(self._opened, token)

    async def put_many(
        self,
        values: Iterable[E],
        *,
        trusted: bool = False,
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> BatchResult[E]:
        """Write any number of objects, replacing stored ones."""
        steps = bulk_writes.put_many(self._opened, values, progress, trusted=trusted)
        result: BatchResult[E] = await self._opened.run_async(steps)
        return result

    async def create_many(
        self, values: Iterable[E], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[E]:
        """Write any number of new objects."""
        result: BatchResult[E] = await self._opened.run_async(bulk_writes.create_many(self._opened, values, progress))
        return result

    @overload
    async def update_many(
        self,
        targets: Iterable[Key[E]],
        *changes: FieldChange[E],
        where: Callable[[E], bool] | None = None,
        validate: Validation = "whole",
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> BatchResult[Key[E]]: ...
    @overload
    async def update_many(
        self,
        targets: Iterable[E],
        *changes: FieldChange[E],
        where: Callable[[E], bool] | None = None,
        validate: Validation = "whole",
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> BatchResult[E]: ...
    async def update_many(
        self,
        targets: Iterable[Any],
        *changes: FieldChange[Any],
        where: Callable[[Any], bool] | None = None,
        validate: Validation = "whole",
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> BatchResult[Any]:
        """Make the same changes to any number of items, given by keys or objects."""
        steps = bulk_writes.update_many(self._opened, targets, changes, where, validate, progress)
        return await self._opened.run_async(steps)

    async def delete_many(
        self, targets: Iterable[E], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[E]:
        """Delete any number of items, given by keys or objects."""
        result: BatchResult[E] = await self._opened.run_async(bulk_writes.delete_many(self._opened, targets, progress))
        return result

    async def delete_collection(
        self, root: Key[Any], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[Key[Any] | Mapping[str, Any]]:
        """Delete every item in the partition of a root item, the root last.

        After an error, call the method again to continue.
        """
        return await self._opened.run_async(delete_collection(self._opened, root, progress))

    async def close(self) -> None:
        """Close the table and its connections."""
        await self._opened.session.close_async()
