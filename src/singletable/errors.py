"""The one tree of errors: what was wrong, where it is, and what to do about it.

SingletableError
├── DesignError       the model cannot be what it says; carries every problem, each with file and line
├── KeyRefused        a value does not fit into its key (also a ValueError)
├── ArgumentRefused   the arguments of a pattern do not fit its declaration (also a ValueError)
│   └── InvalidValue      a value that the model could not read back; carries entity, field, value and rule
├── ModelNotLoaded    a model file could not be imported, or holds no table
├── ExportRefused     a model cannot be written in the format or with the settings that were asked for
├── ImportRefused     a model from elsewhere that cannot be read, or a file that would be written over
├── NotConnected      a pattern was called on a table that is not open, or it cannot be opened: no credentials
├── NotFound          the item that was to be changed is not there
├── AlreadyExists     the item that was to be created is there; carries the object as it is
│   └── NotUnique     another item has the value that only one may have
├── ConditionFailed   the condition of a write does not hold; carries the object as it is
│   └── VersionConflict   somebody else has written the object since it was read
├── TransactionCancelled   nothing of a transaction was written; carries the reason for each of its actions
├── TableDiffers      the table is not there, or its keys and indexes are not the model's
├── ItemRefused       an item that is stored cannot be read as the entity it says it is
├── DesignBroken      what is stored contradicts the design: two items where there can be one
│   └── CollectionIncomplete   a collection lacks a member that its shape requires
├── CursorRefused     a cursor that was changed, has expired, or was given for another question
├── Unreachable       no answer came: nobody listens, or the connection broke
│   └── OutcomeUnknown    the answer to a write was lost, and what it would have said cannot be found out
├── RequestRefused    DynamoDB's answer instead of a result: its error code, its words, what else it carries
│   └── Throttled         more was asked than the table, the index or the account may be, and it was too often in vain
└── StoreRefused      a store that cannot be opened, or is not one of ours

UnknownItemWarning    a warning: an item in the table is none of the model's entities, and was passed over
UnreadableItemWarning a warning: an item cannot be read by the model, and was left out
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_SHOWN_CHARACTERS_MAX = 200


@dataclass(frozen=True, order=True)
class Location:
    """A file and a line of the user's own code."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}"  # noqa: PTH119  # pathlib costs a tenth of our import time

    @property
    def full(self) -> str:
        """The location as editors and terminals can open it, relative to the folder one is in."""
        here = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118  # as above
        return f"{self.file.removeprefix(here)}:{self.line}"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a design: what, where, and the way out."""

    message: str
    location: Location | None = None
    remedy: str | None = None

    def __str__(self) -> str:
        where = f"{self.location.full}: " if self.location else ""
        way_out = f"\n  {self.remedy}" if self.remedy else ""
        return f"{where}{self.message}{way_out}"


class SingletableError(Exception):
    """Anything that singletable refuses."""


class DesignError(SingletableError):
    """A design that cannot be what it says; `problems` has them all, each with its place in the code and a way out."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class KeyRefused(SingletableError, ValueError):
    """A value that does not fit into its key; writing it would lose order, uniqueness or the value itself."""


class ArgumentRefused(SingletableError, ValueError):
    """Arguments that do not fit the pattern they were given to."""


class InvalidValue(ArgumentRefused):
    """A value that the model could not read back, so it is not stored.

    `entity`, `field` (None for a rule about the whole object), `value` and `rule` say what is wrong. `sent` is whether
    a write was sent: only for a bound that DynamoDB itself checks, and then it changed nothing.
    """

    def __init__(self, entity: str, field: str | None, value: Any, rule: str, *, sent: bool = False) -> None:
        self.entity, self.field, self.value, self.rule, self.sent = entity, field, value, rule, sent
        place = entity if field is None else f"{entity}.{field}"
        shown = repr(value)
        if len(shown) > _SHOWN_CHARACTERS_MAX:
            shown = f"{shown[:_SHOWN_CHARACTERS_MAX]}..."
        state = "DynamoDB checked it and changed nothing" if sent else "no write was sent"
        super().__init__(f"{place}: {shown} is invalid: {rule} ({state})")


class ModelNotLoaded(SingletableError):
    """A model that could not be imported, or a file that holds none."""


class ExportRefused(SingletableError):
    """A model that cannot be written in the format, or with the settings, that were asked for."""


class ImportRefused(SingletableError):
    """A model from elsewhere that cannot be read, or a file that would be written over."""


class NotConnected(SingletableError):
    """No store stands behind a table: it was not opened, or what is needed to open it is missing."""


class RequestRefused(SingletableError):
    """What DynamoDB answers instead of a result, by the `code` of its API: `ValidationException` and the others.

    `message` are its words, and `fields` what else the answer carries.
    """

    def __init__(self, code: str, message: str, **fields: Any) -> None:
        self.code = code
        self.message = message
        self.fields = fields
        super().__init__(f"{code}: {message}")


class Throttled(RequestRefused):
    """More is asked of a table, an index or an account than it may be for now; the request was sent again in vain."""


class NotFound(SingletableError):
    """The item that was to be changed is not there."""


class AlreadyExists(SingletableError):
    """The item that was to be created is there; `item` is the object as it is, None when it cannot be told."""

    def __init__(self, message: str, item: Any = None) -> None:
        self.item = item
        super().__init__(message)


class NotUnique(AlreadyExists):
    """Another item of the entity has the value that only one may have, in these `fields`; which one is not told."""

    def __init__(self, message: str, fields: tuple[str, ...]) -> None:
        self.fields = fields
        super().__init__(message)


class ConditionFailed(SingletableError):
    """The condition of a write does not hold; `item` is the object as it is, None when it is not there."""

    def __init__(self, message: str, item: Any = None) -> None:
        self.item = item
        super().__init__(message)


class VersionConflict(ConditionFailed):
    """Somebody else has written the object since it was read; `item` is the object as it is now."""


@dataclass(frozen=True)
class CancellationReason:
    """Why one action of a transaction could not be carried out; the code is `None` for one that could."""

    code: str
    message: str
    target: Any = None
    """The object or the key that the action was given."""
    item: Any = None
    """The object as it is, where a condition did not hold for it."""
    error: Exception | None = None
    """What the action alone would have raised."""


class TransactionCancelled(SingletableError):
    """A transaction of which nothing was written; `reasons` has one for each action, in their order."""

    def __init__(self, message: str, reasons: tuple[CancellationReason, ...]) -> None:
        self.reasons = reasons
        super().__init__(message)


class TableDiffers(SingletableError):
    """A table that is not there, or whose keys and indexes are not what the model declares."""


class ItemRefused(SingletableError, ValueError):
    """A stored item that cannot be read as what it says it is, by its key."""


@dataclass(frozen=True)
class UnreadableItem:
    """A stored item that the model cannot read, as a table opened with `unreadable="report"` lists it."""

    key: Mapping[str, Any]
    """The key of the item in the table, in DynamoDB JSON."""
    item: Mapping[str, Any]
    """The attributes that DynamoDB returned, in DynamoDB JSON; not the whole item for a view or a thin index."""
    error: ItemRefused = field(compare=False)
    """The error that the same read raises by default."""

    @property
    def reason(self) -> str:
        """Why the model cannot read the item."""
        return str(self.error)


class DesignBroken(SingletableError):
    """What is stored contradicts the design, such as two items under an identity that only one can have."""


class CollectionIncomplete(DesignBroken):
    """An item collection that lacks a member which its shape requires, or has two of one."""


class CursorRefused(SingletableError, ValueError):
    """A cursor that was changed, has expired, or was given for another pattern, other arguments or another secret."""


class UnknownItemWarning(UserWarning):
    """An item in the table is none of the model's entities; it was passed over."""


class UnreadableItemWarning(UserWarning):
    """An item that the model cannot read: a read without a page left it out, or `delete` returned it undecoded.

    `unreadable` has its key, its attributes and the reason.
    """

    def __init__(self, message: str, unreadable: UnreadableItem | None = None) -> None:
        self.unreadable = unreadable
        super().__init__(message)


class Unreachable(SingletableError):
    """No answer: nobody listens there, or the connection broke; `sent` if the request may have arrived."""

    def __init__(self, message: str, *, sent: bool) -> None:
        self.sent = sent
        super().__init__(message)


class OutcomeUnknown(Unreachable):
    """The answer to a write was lost, and what it would have said cannot be found out."""

    def __init__(self, message: str) -> None:
        super().__init__(message, sent=True)


def invalid(message: str) -> RequestRefused:
    """The refusal that DynamoDB uses most: a request that says something it must not."""
    return RequestRefused("ValidationException", message)


class StoreRefused(SingletableError):
    """A store that cannot be opened: no file of ours, of a newer format, damaged, or out of reach."""
