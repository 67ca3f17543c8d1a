"""Reasons why an index cannot serve a pattern: one class per kind of mismatch, each with its message."""

from __future__ import annotations

from singletable.lazy_dataclass import dataclass
from singletable.model.parameter_types import (
    AREA_TYPES,
    Between,
    Children,
    Equal,
    Prefix,
    Present,
    Since,
    Subtree,
    Until,
)

_TESTS = {
    Equal: "equality on {0}",
    Between: "a range of {0}",
    Since: "a range of {0}",
    Until: "a range of {0}",
    Prefix: "a prefix of {0}",
    Subtree: "the subtree of {0}",
    Children: "the children of {0}",
    **dict.fromkeys(AREA_TYPES, "an area of {0}"),
    Present: "items that have {0}",
}


def requirement(test: type, fields: tuple[str, ...]) -> str:
    """Describe what a parameter requires of an index."""
    return _TESTS[test].format(" and ".join(fields))


@dataclass(frozen=True)
class KeyMissing:
    """Entities of the pattern have no key yet."""

    entities: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """Return the message."""
        return f"{' and '.join(self.entities)} {'has' if len(self.entities) == 1 else 'have'} no key yet"


@dataclass(frozen=True)
class PartitionUnknown:
    """No parameter provides the fields of the partition key."""

    fields: tuple[str, ...]
    template: str

    def sentence(self, index: str) -> str:
        """Return the message."""
        fields = " or ".join(self.fields)
        return f"the partition key of {index} is {self.template}, but no parameter provides {fields}"


@dataclass(frozen=True)
class SortUnknown:
    """A pattern for one item does not provide the full sort key."""

    fields: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """Return the message."""
        fields = " and ".join(self.fields)
        return f"needs the full key of one item, but no parameter provides {fields}, which the key of {index} contains"


@dataclass(frozen=True)
class NotServed:
    """The key of the index does not support the comparison, or does not support it at this position."""

    test: type
    fields: tuple[str, ...]
    behind: str | None = None

    def sentence(self, index: str) -> str:
        """Return the message."""
        need = requirement(self.test, self.fields)
        if self.behind:
            return (
                f"needs {need}, but in the key of {index} this part follows {self.behind}, which no parameter provides"
            )
        return f"needs {need}, which the key of {index} does not support"


@dataclass(frozen=True)
class Unordered:
    """The pattern needs a range or an order of a field whose text in the key does not sort like its values."""

    slot: str
    reason: str

    def sentence(self, index: str) -> str:
        """Return the message."""
        return f"{slot_in(self.slot, index)} does not sort in the order of its values: {self.reason}"


@dataclass(frozen=True)
class WrongOrder:
    """The sort key does not provide the order that the pattern requests."""

    requested: str
    actual: str
    is_number: bool = False
    """Whether the sort key has the order of a number, which `descending=` reverses."""

    def sentence(self, index: str) -> str:
        """Return the message."""
        return f"needs {self.requested}, but {index} sorts by {self.actual}"


@dataclass(frozen=True)
class NotProjected:
    """The index does not project the fields."""

    fields: tuple[str, ...]
    projection: str
    include: tuple[str, ...] = ()
    """All attributes that the index must contain, if a filter needs the fields."""
    upgraded: str = ""
    """The entity whose items may have an older schema version. An upgrade needs the whole item."""

    def sentence(self, index: str) -> str:
        """Return the message."""
        if self.upgraded:
            projected = f"{index} ({self.projection}) projects only part of each {self.upgraded}"
            return f"{projected}, but schema upgrades need the whole item"
        return f"{index} ({self.projection}) does not project {', '.join(self.fields)}"


@dataclass(frozen=True)
class FilterOnKey:
    """A filter on a key attribute. DynamoDB does not allow such a filter in a Query."""

    fields: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """Return the message."""
        names = ", ".join(self.fields)
        return f"filters on {names}, a key attribute of {index}, which DynamoDB does not allow in a Query"


@dataclass(frozen=True)
class StrongReadOnGsi:
    """A strongly consistent read. DynamoDB does not support it on a global secondary index."""

    def sentence(self, index: str) -> str:
        """Return the message."""
        return f"needs a strongly consistent read, but {index} is a global secondary index, which does not support it"


@dataclass(frozen=True)
class SparseIndex:
    """The index is sparse, so it would silently omit items."""

    fields: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """Return the message."""
        return f"{index} does not contain items whose {' or '.join(self.fields)} is None"


@dataclass(frozen=True)
class FieldsMissing:
    """No parameter provides fields that the item requires."""

    fields: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """Return the message."""
        return f"writes a whole item, but no parameter provides {', '.join(self.fields)}"


@dataclass(frozen=True)
class ChangesKey:
    """The update changes a field of the table's primary key."""

    fields: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """Return the message."""
        return f"changes {', '.join(self.fields)}, part of the primary key, which DynamoDB cannot change in place"


@dataclass(frozen=True)
class NotTogether:
    """The members of a collection are not in one partition, or do not have the order that a limit needs."""

    why: str
    remedy: str = (
        "Give all members the same partition key and adjacent sort keys, or read each member with its own query."
    )
    is_of_partition: bool = False
    """Whether the members are in different partitions."""
    movable: tuple[str, ...] = ()
    """The entities that need a different sort key, outside the range."""

    def sentence(self, index: str) -> str:
        """Return the message."""
        return f"in {index}, {self.why}"


@dataclass(frozen=True)
class AncestorsUnknown:
    """The keys of a node's ancestors cannot be computed from its path."""

    why: str
    remedy: str

    def sentence(self, index: str) -> str:
        """Return the message."""
        return f"the keys of the ancestors cannot be computed in {index}: {self.why}"


Mismatch = (
    KeyMissing
    | PartitionUnknown
    | SortUnknown
    | NotServed
    | Unordered
    | WrongOrder
    | NotProjected
    | FilterOnKey
    | StrongReadOnGsi
    | SparseIndex
    | FieldsMissing
    | ChangesKey
    | NotTogether
    | AncestorsUnknown
)


def misses_partition(mismatch: Mismatch) -> bool:
    """Return whether the mismatch is that the pattern does not determine one partition of the index."""
    return isinstance(mismatch, PartitionUnknown) or (isinstance(mismatch, NotTogether) and mismatch.is_of_partition)


def slot_in(slot: str, index: str) -> str:
    """Return a template slot and its index, for messages."""
    return f"{slot} in {index}"
