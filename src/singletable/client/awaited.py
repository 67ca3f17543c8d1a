"""The awaited twin of a table: the same reads and writes by key and object, on an event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from singletable.client import subtree
from singletable.client.batch_result import BatchProgress, BatchResult
from singletable.client.collection_delete import delete_collection
from singletable.client.key import Key
from singletable.client.reading import table_reads
from singletable.client.transaction import Transaction
from singletable.client.write import bulk
from singletable.model.changes import FieldChange
from singletable.model.rules.value_rules import Validation

if TYPE_CHECKING:
    from singletable.client.open_table import OpenTable

E = TypeVar("E")


class AwaitedTable:
    """`shop.aio`: what `shop` does by itself, awaited; patterns have `.aio` themselves."""

    def __init__(self, opened: OpenTable) -> None:
        self._opened = opened

    async def get(self, key: Key[E], *, consistent: bool = False, expired: bool = False) -> E | None:
        """The object of a key, or None."""
        found: E | None = await self._opened.run_async(
            table_reads.get(self._opened, key, consistent=consistent, expired=expired)
        )
        return found

    async def get_many(
        self, keys: Iterable[Key[E]], *, consistent: bool = False, transaction: bool = False
    ) -> list[E | None]:
        """The objects of keys of any entities, in their order, and None for what is not there."""
        found: list[E | None] = await self._opened.run_async(
            table_reads.get_many(self._opened, keys, consistent=consistent, transaction=transaction)
        )
        return found

    async def put(self, value: E) -> E:
        """Writes an object in place of the one with its key."""
        written: E = await self._opened.run_async(self._opened.writer.put(value))
        return written

    async def create(self, value: E) -> E:
        """Writes an object that must not be there yet."""
        written: E = await self._opened.run_async(self._opened.writer.create(value))
        return written

    async def upsert(self, value: E) -> E:
        """Writes every field of an object, and leaves what else the item has."""
        written: E = await self._opened.run_async(self._opened.writer.upsert(value))
        return written

    async def update(
        self,
        target: E | Key[E],
        *changes: FieldChange[E],
        where: Callable[[E], bool] | None = None,
        validate: Validation = "whole",
    ) -> E:
        """Changes fields of an item that is there."""
        changed: E = await self._opened.run_async(self._opened.writer.update(target, changes, where, validate))
        return changed

    @overload
    async def delete(
        self, target: Key[E], *, where: Callable[[E], bool] | None = None, raw: bool = False
    ) -> E | None: ...
    @overload
    async def delete(self, target: E, *, where: Callable[[E], bool] | None = None, raw: bool = False) -> E | None: ...
    async def delete(self, target: Any, *, where: Callable[[Any], bool] | None = None, raw: bool = False) -> Any:
        """Deletes an item; returns the deleted object."""
        return await self._opened.run_async(self._opened.writer.delete(target, where, raw=raw))

    async def move(self, old: E, new: E) -> E:
        """Writes an object under another key in place of one that nobody has changed since it was read."""
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
        """Moves a node and everything below it to another path; returns how many were moved."""
        moved: int = await self._opened.run_async(subtree.move_subtree(self._opened, node, to, change, progress))
        return moved

    async def edit(self, key: Key[E], change: Callable[[E], E], *, attempts: int = 20) -> E:
        """Writes what a function makes of an object, and calls it again when somebody else has written meanwhile."""
        edited: E = await self._opened.run_async(self._opened.writer.edit(key, change, attempts))
        return edited

    def transaction(self, *, token: str | None = None) -> Transaction:
        """Writes that happen together or not at all: `async with shop.aio.transaction() as tx:`."""
        return Transaction(self._opened, token)

    async def put_many(
        self,
        values: Iterable[E],
        *,
        trusted: bool = False,
        progress: Callable[[BatchProgress], None] | None = None,
    ) -> BatchResult[E]:
        """Writes any number of objects in place of the stored ones."""
        steps = bulk.put_many(self._opened, values, progress, trusted=trusted)
        result: BatchResult[E] = await self._opened.run_async(steps)
        return result

    async def create_many(
        self, values: Iterable[E], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[E]:
        """Writes any number of objects that must not exist yet."""
        result: BatchResult[E] = await self._opened.run_async(bulk.create_many(self._opened, values, progress))
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
        """Makes the same changes to the items of any number of keys or objects."""
        steps = bulk.update_many(self._opened, targets, changes, where, validate, progress)
        return await self._opened.run_async(steps)

    async def delete_many(
        self, targets: Iterable[E], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[E]:
        """Takes the items of objects or keys away, as many as there are; says which never went through."""
        result: BatchResult[E] = await self._opened.run_async(bulk.delete_many(self._opened, targets, progress))
        return result

    async def delete_collection(
        self, root: Key[Any], *, progress: Callable[[BatchProgress], None] | None = None
    ) -> BatchResult[Key[Any] | Mapping[str, Any]]:
        """Deletes every item in the partition of a root, the root last; the same call continues a deletion."""
        return await self._opened.run_async(delete_collection(self._opened, root, progress))

    async def close(self) -> None:
        """Lets go of the connection."""
        await self._opened.session.close_async()
