"""C extension that reads items in DynamoDB JSON as tuples or pydantic objects, in one pass over the bytes."""

from collections.abc import Iterator
from typing import Any

from typing_extensions import Buffer

INTERFACE_VERSION: int

class Rows(Iterator[Any]):
    """An iterator over the rows that some bytes contain."""

    @property
    def position(self) -> int:
        """The number of bytes read so far."""
    def __next__(self) -> Any: ...

class RowReader:
    """Reads the items of one entity as tuples of column values, or as pydantic objects."""

    def __new__(
        cls,
        columns: tuple[tuple[str, str, str, Any, bool, bool, bool], ...],
        absent: object,
        decimal: type,
        model: tuple[Any, ...] | None = None,
    ) -> RowReader: ...
    def rows(self, data: Buffer, /) -> Rows:
        """Iterate over comma-separated items; raise NotOnFastPath at an item that does not match the columns."""
    def array(self, data: Buffer, start: int, /) -> Rows:
        """Iterate over the items of a JSON array; `start` is the position after its opening bracket."""
