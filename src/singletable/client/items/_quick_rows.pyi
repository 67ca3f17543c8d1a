"""Items of DynamoDB JSON as tuples of Python's values, in one pass over the bytes of an answer."""

from collections.abc import Iterator
from typing import Any

from typing_extensions import Buffer

FORM: int

class Rows(Iterator[Any]):
    """The rows of some bytes, each read when it is asked for."""

    @property
    def position(self) -> int:
        """How many of the bytes were read."""
    def __next__(self) -> Any: ...

class RowReader:
    """Reads the items of one entity as tuples of their columns, or as objects of a model."""

    def __new__(
        cls,
        columns: tuple[tuple[str, str, str, Any, bool, bool, bool], ...],
        absent: object,
        decimal: type,
        model: tuple[Any, ...] | None = None,
    ) -> RowReader: ...
    def rows(self, data: Buffer, /) -> Rows:
        """The rows of items with commas between them; raises ValueError at one that is not as expected."""
    def array(self, data: Buffer, start: int, /) -> Rows:
        """The same of an array, from behind its opening bracket up to its closing one, wherever that is."""
