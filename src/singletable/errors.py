"""All exceptions and warnings of singletable, in one tree.

SingletableError
├── DesignError            the model is invalid; lists every problem with file, line and remedy
├── KeyRefused             a value cannot be written into its key (also a ValueError)
├── ArgumentRefused        invalid arguments for a pattern or a table method (also a ValueError)
│   └── InvalidValue           a value violates a rule of the model; names entity, field, value and rule
├── ModelNotLoaded         a model file cannot be imported, or defines no table
├── ExportRefused          the model cannot be exported in this format or with these settings
├── ImportRefused          the source cannot be imported, or the output file already exists
├── SnapshotRefused        a snapshot is malformed, or of a format that this release cannot read
├── MigrationRefused       a migration cannot be made, run or undone, or its files contradict the table
├── MigrationStopped       a runner stops, because another one has taken over or the migration is paused
├── ConsolidationRefused   a step from several tables to one table cannot be taken yet
├── AnalyticsRefused       items cannot be exported or queried with SQL
├── StreamRefused          a stream cannot be read, or its records cannot be delivered to handlers
├── NotConnected           the table is not open, or AWS credentials or a region are missing
├── NotFound               the item to change does not exist
├── AlreadyExists          the item to create already exists; carries the stored object
│   └── NotUnique              another item already has a value that must be unique
├── ConditionFailed        the condition of a write is false; carries the stored object
│   └── VersionConflict        another writer changed the object since you read it
├── TransactionCancelled   DynamoDB cancelled a transaction; has one reason per action
├── TableDiffers           the table does not exist, or its keys or indexes differ from the model
├── ItemRefused            a stored item cannot be read as its entity (also a ValueError)
├── DesignBroken           the stored data contradicts the design
│   └── CollectionIncomplete   an item collection lacks a required member, or has it twice
├── CursorRefused          a pagination cursor is malformed, expired or not for this call (also a ValueError)
├── Unreachable            no response: the connection failed, was lost or timed out
│   └── OutcomeUnknown         the response to a write was lost; it may have been applied
├── RequestRefused         DynamoDB returned an error; carries its code, message and other fields
│   └── Throttled              throughput exceeded, and all retries failed
├── PolicyRefused          an IAM policy or a principal is invalid; names the file and the element (also a ValueError)
└── StoreRefused           a local database cannot be opened or used

UnknownItemWarning         a read skipped an item that belongs to no entity of the model
UnreadableItemWarning      a read skipped an item that the model cannot read
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from singletable.lazy_dataclass import dataclass

_SHOWN_CHARACTERS_MAX = 200
_CREDENTIALS = r"(?is)^([a-z][a-z0-9+.-]*://)?.*@"


@dataclass(frozen=True, order=True)
class Location:
    """A file and a line in your code."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}"  # noqa: PTH119  # pathlib costs a tenth of our import time

    @property
    def full(self) -> str:
        """The text `path:line`, which editors and terminals show as a link. The path is relative if possible."""
        here = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118  # pathlib costs a tenth of our import time
        return f"{self.file.removeprefix(here)}:{self.line}"


@dataclass(frozen=True)
class Problem:
    """One problem in a model: what is wrong, where it is declared, and how to fix it."""

    message: str
    location: Location | None = None
    remedy: str | None = None

    def __str__(self) -> str:
        where = f"{self.location.full}: " if self.location else ""
        remedy = f"\n  {self.remedy}" if self.remedy else ""
        return f"{where}{self.message}{remedy}"


def without_secrets(url: str) -> str:
    """Return a URL without its credentials, for use in messages.

    In a malformed URL, the secret may contain any character, so everything up to the last "@" is removed.
    """
    return url if url.startswith("file:") else re.sub(_CREDENTIALS, r"\1", url)


class SingletableError(Exception):
    """Base class of all singletable exceptions."""


class DesignError(SingletableError):
    """The model is invalid.

    Raised when you decorate a class with `@entity`, when you define a `Table` class, and when you open a table in which
    an entity has no key. `problems` lists everything that is wrong, each with the location in your code and a remedy.
    Fix the declarations.
    """

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class KeyRefused(SingletableError, ValueError):
    """A value cannot be written into its key.

    Raised by reads and writes, before any request is sent, if the value is too long, too precise, of the wrong type or
    out of range for the key template. Pass another value, or change the format in the template (`{amount:08.2f}`).
    """


class ArgumentRefused(SingletableError, ValueError):
    """Invalid arguments for a pattern or a table method.

    Raised before any request is sent, if an argument is missing, unknown or of the wrong type. The message names the
    pattern and the parameter.
    """


class InvalidValue(ArgumentRefused):
    """A value violates a rule of the model, so it is not stored.

    Raised by writes, because a read could not decode an item with this value. `entity`, `field` (None for a rule about
    the whole object), `value` and `rule` describe the violation. `sent` is False if the client found the violation
    before it sent the write, and True if a condition of the write failed in DynamoDB. In both cases, nothing was
    written. Pass a valid value.
    """

    def __init__(self, entity: str, field: str | None, value: Any, rule: str, *, sent: bool = False) -> None:
        self.entity, self.field, self.value, self.rule, self.sent = entity, field, value, rule, sent
        where = entity if field is None else f"{entity}.{field}"
        shown = repr(value)
        if len(shown) > _SHOWN_CHARACTERS_MAX:
            shown = f"{shown[:_SHOWN_CHARACTERS_MAX]}..."
        state = "DynamoDB rejected the write and changed nothing" if sent else "no write was sent"
        super().__init__(f"{where}: {shown} is invalid: {rule} ({state})")


class ModelNotLoaded(SingletableError):
    """A model file cannot be imported, or it defines no table.

    Raised by the command line. Check the path (`model.py:Shop`) and that `python model.py` runs.
    """


class ExportRefused(SingletableError):
    """The model cannot be exported in this format or with these settings.

    Raised by `singletable export`. The message names the unsupported feature or the invalid setting.
    """


class ImportRefused(SingletableError):
    """The source of an import cannot be read, or the output file already exists.

    Raised by `singletable import`. Fix the source, or choose another output file.
    """


class SnapshotRefused(SingletableError):
    """A snapshot is malformed, or its format is newer than this release.

    Raised by `singletable diff`, by migrations and when you open a migrated table. Write the snapshot again with
    `singletable snapshot`, or install the release that wrote it.
    """


class MigrationRefused(SingletableError):
    """A migration cannot be made, run or undone, and nothing was written.

    Raised by `singletable migrate` if the files contradict each other or the table, or if a change is not supported.
    The message says what to do.
    """


class MigrationStopped(SingletableError):
    """A runner of a migration stops.

    Raised by `singletable migrate run` if another runner has taken over, or if the migration is paused. All writes of
    the runner were valid. To continue, run `singletable migrate run` again.
    """


class ConsolidationRefused(SingletableError):
    """A step from several tables to one table cannot be taken yet.

    Raised, for example, if you switch a pattern to the new implementation while its answers differ from those of the
    old one. The message says what is missing, and what to do.
    """


class AnalyticsRefused(SingletableError):
    """Items cannot be exported to files, or queried with SQL.

    Raised by exports and queries if a value does not fit its column, if a source is damaged, or if a statement would
    scan more than the limit. The message names the item or the file, and says what to do.
    """


class StreamRefused(SingletableError):
    """A stream cannot be read, or its records cannot be delivered to handlers.

    Raised by the runners of stream handlers if the table has no stream with both images, if the stream no longer
    contains the records after a checkpoint, or if too many items are set aside. The message says what to do.
    """


class NotConnected(SingletableError):
    """The table has no connection.

    Raised when you call a pattern on a `Table` class or on a closed table, or when AWS credentials or the region are
    missing. Open the table first: `shop = Shop.open(...)`.
    """


class RequestRefused(SingletableError):
    """DynamoDB rejected a request.

    Raised for every DynamoDB error that has no exception class of its own. `code` is the error code of the DynamoDB
    API, such as `ValidationException`; `message` is the error message, and `fields` has the other fields of the
    response.
    """

    def __init__(self, code: str, message: str, **fields: Any) -> None:
        self.code = code
        self.message = message
        self.fields = fields
        super().__init__(f"{code}: {message}" if message else code)


class Throttled(RequestRefused):
    """DynamoDB throttled the request, and all retries failed.

    Raised when your requests exceed the throughput of a table, an index or the account. Send fewer requests per second,
    increase the capacity, or allow more attempts with `Retries`.
    """


class NotFound(SingletableError):
    """The item to change does not exist.

    Raised by updates, and by writes that need another item, such as the item with a counter or the source of a copy.
    Create that item first.
    """


class AlreadyExists(SingletableError):
    """The item to create already exists.

    Raised by `create`. `item` is the stored object, or None if it is unknown. Use `put` to overwrite the stored item,
    or `update` to change it.
    """

    def __init__(self, message: str, item: Any = None) -> None:
        self.item = item
        super().__init__(message)


class NotUnique(AlreadyExists):
    """Another item already has a value that must be unique.

    Raised by writes of an entity with `unique=`. `fields` names the fields whose value is already taken; `item` is
    always None, because DynamoDB does not return the other item.
    """

    def __init__(self, message: str, fields: tuple[str, ...]) -> None:
        self.fields = fields
        super().__init__(message)


class ConditionFailed(SingletableError):
    """The condition of a write is false.

    Raised by updates, deletes and checks with `where=`. `item` is the stored object, or None if it is unknown.
    """

    def __init__(self, message: str, item: Any = None) -> None:
        self.item = item
        super().__init__(message)


class VersionConflict(ConditionFailed):
    """Another writer changed the object since you read it.

    Raised by writes of an entity with `version=`. `item` is the stored object. Read the object again, repeat your
    change, and write the object.
    """


@dataclass(frozen=True)
class CancellationReason:
    """Why DynamoDB rejected one action of a transaction. `code` is the text `"None"` for an action without an error."""

    code: str
    message: str
    target: Any = None
    """The object or the key that you passed to the action."""
    item: Any = None
    """The stored object, if the condition of the action was false."""
    error: Exception | None = None
    """The exception that the same action raises outside a transaction."""


class TransactionCancelled(SingletableError):
    """DynamoDB cancelled a transaction, and nothing was written.

    Raised at the end of the `with` block of a transaction. `reasons` has one `CancellationReason` per action, in order.
    """

    def __init__(self, message: str, reasons: tuple[CancellationReason, ...]) -> None:
        self.reasons = reasons
        super().__init__(message)


class TableDiffers(SingletableError):
    """The table does not exist, or its keys or indexes differ from the model.

    Raised when you open a table. Pass `create=True` to create a missing table. For an existing table, the message lists
    the differences.
    """


class ItemRefused(SingletableError, ValueError):
    """A stored item cannot be read as its entity.

    Raised by reads if an attribute is missing or invalid for the class. The message names the item and the field.
    Repair the item, declare an `@upgrade`, or open the table with `unreadable="report"` to skip such items.
    """


@dataclass(frozen=True)
class UnreadableItem:
    """A stored item that the model cannot read, in the list `Page.unreadable`."""

    key: Mapping[str, Any]
    """The key of the item in the table, in DynamoDB JSON."""
    item: Mapping[str, Any]
    """The attributes that DynamoDB returned, in DynamoDB JSON.

    If you read an index or a view, some attributes may be missing.
    """
    error: ItemRefused = field(compare=False)
    """The exception that the read raises if the table is opened without `unreadable="report"`."""

    @property
    def reason(self) -> str:
        """The message of the error."""
        return str(self.error)


class DesignBroken(SingletableError):
    """The stored data contradicts the design.

    Raised by reads, for example when a `get` by an index finds two items with the same identity. Another program has
    probably written to the table; repair its items.
    """


class CollectionIncomplete(DesignBroken):
    """An item collection lacks a member that its shape requires, or has two items for a single member.

    Raised by `collection` patterns. Declare the member as `Entity | None` or `list[Entity]` if such a collection is
    valid.
    """


class CursorRefused(SingletableError, ValueError):
    """A pagination cursor is malformed, expired, or not for this call.

    Raised by `query` patterns. A cursor is valid only with the pattern, the arguments and the secret for which it was
    issued. Start again at the first page.
    """


class UnknownItemWarning(UserWarning):
    """A read skipped an item that belongs to no entity of the model."""


class UnreadableItemWarning(UserWarning):
    """The model cannot read an item, so a read skipped the item, or `delete` returned its raw attributes.

    Issued by tables that you opened with `unreadable="report"`, for reads that return no page. `unreadable` has the
    key, the attributes and the reason.
    """

    def __init__(self, message: str, unreadable: UnreadableItem | None = None) -> None:
        self.unreadable = unreadable
        super().__init__(message)


class Unreachable(SingletableError):
    """DynamoDB did not respond.

    Raised when the connection fails, is lost or times out, and all retries have failed. `sent` is True if DynamoDB may
    have received the request. Check the endpoint and the network.
    """

    def __init__(self, message: str, *, sent: bool) -> None:
        self.sent = sent
        super().__init__(message)


class OutcomeUnknown(Unreachable):
    """The response to a write was lost, so the write may or may not have been applied.

    Raised for writes that cannot be repeated safely. Read the item to find out whether it was written.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, sent=True)


def invalid(message: str) -> RequestRefused:
    """Return a `ValidationException`, DynamoDB's error for invalid requests."""
    return RequestRefused("ValidationException", message)


class PolicyRefused(SingletableError, ValueError):
    """An IAM policy or a principal is invalid, or uses an element that the engine does not support.

    Raised when you load policies. An unsupported element is an error, because ignoring it would allow more or less than
    the policy says. The message names the file and the element.
    """


class StoreRefused(SingletableError):
    """A local database cannot be opened or used.

    Raised by local tables and servers if the database is closed, or if its file is missing, is not a singletable
    database, has a newer format, is damaged, or is locked by another process. The message says what to do.
    """
