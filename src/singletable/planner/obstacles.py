"""Why an index cannot serve a pattern: one value per kind of obstacle, each with its sentence."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.model.areas import AREA_TYPES
from singletable.model.ranges import Between, Children, Equal, Prefix, Present, Since, Subtree, Until

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


def written_need(test: type, fields: tuple[str, ...]) -> str:
    """What a binding needs, in words."""
    return _TESTS[test].format(" and ".join(fields))


@dataclass(frozen=True)
class PartitionUnknown:
    """A partition key whose fields no parameter gives."""

    fields: tuple[str, ...]
    template: str

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        return f"{index} is partitioned by {self.template}, and no parameter gives {' or '.join(self.fields)}"


@dataclass(frozen=True)
class SortUnknown:
    """A sort key that is not fully given, where one item is asked for."""

    fields: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        return f"asks for one item, but the sort key of {index} also needs {' and '.join(self.fields)}"


@dataclass(frozen=True)
class NotServed:
    """A test that the keys of the index do not make, or not in this place."""

    test: type
    fields: tuple[str, ...]
    behind: str | None = None

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        need = written_need(self.test, self.fields)
        if self.behind:
            return f"needs {need}, which {index} has only behind {self.behind}, and no parameter gives that"
        return f"needs {need}, which {index} does not have"


@dataclass(frozen=True)
class Unordered:
    """A range or an order over text that does not sort as its values do."""

    slot: str
    reason: str

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        return f"{slot_in(self.slot, index)} does not sort as its values do: {self.reason}"


@dataclass(frozen=True)
class WrongOrder:
    """An order that was asked for and is not that of the sort key."""

    asked: str
    given: str

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        return f"asks for {self.asked}, but {index} sorts by {self.given}"


@dataclass(frozen=True)
class NotProjected:
    """Fields that the index does not hold."""

    fields: tuple[str, ...]
    projection: str
    include: tuple[str, ...] = ()
    """Set when a filter needs the fields: all that the index has to include then."""
    upgraded: str = ""
    """The entity whose items may be of an older schema version, and are upgraded whole."""

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        if self.upgraded:
            held = f"{index} ({self.projection}) holds a part of each {self.upgraded}"
            return f"{held}, and its upgrades need the whole item"
        return f"{index} ({self.projection}) does not hold {', '.join(self.fields)}"


@dataclass(frozen=True)
class FilterOnKey:
    """A filter on a key attribute, which DynamoDB refuses in a Query."""

    fields: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        names = ", ".join(self.fields)
        return f"filters on {names}, a key attribute of {index}: DynamoDB refuses that in a Query"


@dataclass(frozen=True)
class NotStrong:
    """A strong read, which DynamoDB refuses on a global index."""

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        return f"asks for a strong read, and {index} is a global index, which is read eventually consistent only"


@dataclass(frozen=True)
class LeavesOut:
    """A sparse index that would leave out items without saying so."""

    fields: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        return f"{index} leaves out the items whose {' or '.join(self.fields)} is None"


@dataclass(frozen=True)
class FieldsMissing:
    """Fields that an item must have and that no parameter gives."""

    fields: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        return f"writes a whole item, but no parameter gives {', '.join(self.fields)}"


@dataclass(frozen=True)
class ChangesKey:
    """An update of a field that is part of the table's own key."""

    fields: tuple[str, ...]

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        return f"changes {', '.join(self.fields)}, a part of the item's key, which DynamoDB never changes in place"


@dataclass(frozen=True)
class NotTogether:
    """Members of a collection that do not share a partition, or not in the order that a limit needs."""

    why: str
    way_out: str = "Give the members one partition template, with their sort keys side by side, or read each by itself."

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        return f"in {index}, {self.why}"


@dataclass(frozen=True)
class NoWayUp:
    """Keys of the nodes above a path that do not follow from the path."""

    why: str
    way_out: str

    def sentence(self, index: str) -> str:
        """The obstacle in words."""
        return f"the keys of the nodes above cannot be computed in {index}: {self.why}"


Obstacle = (
    PartitionUnknown
    | SortUnknown
    | NotServed
    | Unordered
    | WrongOrder
    | NotProjected
    | FilterOnKey
    | NotStrong
    | LeavesOut
    | FieldsMissing
    | ChangesKey
    | NotTogether
    | NoWayUp
)


def slot_in(slot: str, index: str) -> str:
    """A slot and where it stands, in words."""
    return f"{slot} in {index}"
