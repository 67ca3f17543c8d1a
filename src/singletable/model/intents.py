"""Pattern bodies: `get`, `query`, `collection`, `within`, `ancestors`, `put`, `create`, `update` and `delete`.

Each function returns an intent: a description of a read or write, which the planner turns into a request. The functions
are typed as if they returned the result of the pattern, so that type checkers compare the body of a pattern with its
signature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast, overload

from singletable.errors import DesignError, Problem, UnreadableItem
from singletable.expressions.tree import Change, Condition, Constant, Path, parameters
from singletable.lazy_dataclass import dataclass
from singletable.model import source_location
from singletable.model.condition_recorder import ParameterPlaceholder, record_condition, record_path
from singletable.model.update_changes import FieldChange

if TYPE_CHECKING:
    from singletable.model.validation.value_rules import Validation


T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Page(Generic[T_co]):
    """A page of query results. You can iterate over it and take its length.

    - `items`: the objects, in the order of their keys in DynamoDB.
    - `cursor`: pass it to the same pattern with the same arguments to read the next page; None on the last page.
    - `previous`: the cursor of the page before this one; None on the first page.
    - `unreadable`: the items that the model cannot read, with keys and reasons; always empty unless you opened the
      table with `unreadable="report"`.
    """

    items: Sequence[T_co]
    cursor: str | None = None
    previous: str | None = None
    unreadable: tuple[UnreadableItem, ...] = ()

    def __iter__(self) -> Iterator[T_co]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


E = TypeVar("E")
F = TypeVar("F")
G = TypeVar("G")
H = TypeVar("H")
V = TypeVar("V")
Limit = int | ParameterPlaceholder | None


WriteKind = Literal["put", "create", "update", "delete"]


@dataclass(frozen=True)
class GetIntent:
    """Read one item of an entity."""

    entity: type
    where: Condition | None
    view: type | None
    consistent: bool


@dataclass(frozen=True)
class QueryIntent:
    """Read a page of items of an entity."""

    entity: type
    where: Condition | None
    filter: Condition | None
    order_by: Path | None
    newest_first: bool
    limit: Limit
    view: type | None
    hydrate: bool
    consistent: bool
    descending: bool = False

    @property
    def is_reversed(self) -> bool:
        """Whether the highest value or the newest time is first."""
        return self.newest_first or self.descending


@dataclass(frozen=True)
class CollectionIntent:
    """Read items of several entities in one partition, as an object of a shape."""

    shape: type
    newest_first: bool
    limit: Limit
    consistent: bool
    descending: bool = False

    @property
    def is_reversed(self) -> bool:
        """Whether the highest value or the newest time is first."""
        return self.newest_first or self.descending


@dataclass(frozen=True)
class FeedIntent(CollectionIntent):
    """Read a page of items of several entities in one order; the shape has a list of each entity."""

    entities: tuple[type, ...] = ()


@dataclass(frozen=True)
class WithinIntent:
    """Read the items of an entity in an area."""

    entity: type
    filter: Condition | None


@dataclass(frozen=True)
class AncestorsIntent:
    """Read the items on a tree path, from the root to the node itself."""

    entity: type
    consistent: bool


@dataclass(frozen=True)
class ItemWriteIntent:
    """Write or delete one item of an entity."""

    kind: WriteKind
    entity: type
    changes: tuple[Change, ...] = ()
    where: Condition | None = None
    validation: Validation = "whole"
    """For updates: "fields" skips the validation rules that need the whole object."""

    @property
    def changed(self) -> frozenset[str]:
        """The fields that an update changes, completely or in part."""
        return frozenset(str(change.path.steps[0]) for change in self.changes)

    @property
    def removed(self) -> frozenset[str]:
        """The fields that an update removes."""
        removed = (change.path.steps for change in self.changes if _removes(change))
        return frozenset(str(steps[0]) for steps in removed if len(steps) == 1)


def _removes(change: Change) -> bool:
    """Return whether a change removes its attribute.

    None is not stored, so setting a field to None also removes its attribute.
    """
    return change.action == "REMOVE" or (isinstance(change.value, Constant) and change.value.value is None)


Intent = GetIntent | QueryIntent | CollectionIntent | WithinIntent | AncestorsIntent | ItemWriteIntent


def used_parameters(intent: Intent) -> frozenset[str]:
    """Return the parameters that the body uses in a filter, a condition, a change or a limit."""
    named = parameters((getattr(intent, "filter", None), getattr(intent, "where", None)))
    named |= parameters(getattr(intent, "changes", ()))
    limit = getattr(intent, "limit", None)
    return named | ({limit.argument_name} if isinstance(limit, ParameterPlaceholder) else frozenset())


def _recorded(entity: type, function: Callable[[Any], Any] | None) -> Condition | None:
    return None if function is None else record_condition(entity, function)


def _limit(limit: Limit) -> Limit:
    if limit is None or isinstance(limit, ParameterPlaceholder) or (type(limit) is int and limit >= 1):
        return limit
    raise _design_error(f"limit must be an int, 1 or greater, got {limit!r}")


def _design_error(message: str, remedy: str | None = None) -> DesignError:
    return DesignError(Problem(message, source_location.user_code(), remedy))


@overload
def get(entity: type[E], *, where: Callable[[E], bool] | None = None, consistent: bool = False) -> E | None: ...
@overload
def get(
    entity: type[E], *, view: type[V], where: Callable[[E], bool] | None = None, consistent: bool = False
) -> V | None: ...
def get(
    entity: type[Any],
    *,
    view: type[Any] | None = None,
    where: Callable[[Any], bool] | None = None,
    consistent: bool = False,
) -> Any:
    """Read one item: a GetItem request that returns the object, or None if the item does not exist.

    Every field of the key must be a parameter of the pattern, or fixed by `where`.

    - `view`: a class with some of the fields; the pattern reads only these fields.
    - `where`: fixes key fields to constants: `where=lambda o: o.kind == "INVOICE"`.
    - `consistent`: use a strongly consistent read.
    """
    return GetIntent(entity, _recorded(entity, where), view, consistent)


@overload
def query(
    entity: type[E],
    /,
    *,
    where: Callable[[E], bool] | None = None,
    filter: Callable[[E], bool] | None = None,
    order_by: Callable[[E], object] | None = None,
    newest_first: bool = False,
    descending: bool = False,
    limit: int | None = None,
    hydrate: bool = False,
    consistent: bool = False,
) -> Page[E]: ...
@overload
def query(
    entity: type[E],
    /,
    *,
    view: type[V],
    where: Callable[[E], bool] | None = None,
    filter: Callable[[E], bool] | None = None,
    order_by: Callable[[E], object] | None = None,
    newest_first: bool = False,
    descending: bool = False,
    limit: int | None = None,
    consistent: bool = False,
) -> Page[V]: ...
@overload
def query(
    entity: type[E],
    second: type[F],
    /,
    *,
    newest_first: bool = False,
    descending: bool = False,
    limit: int | None = None,
    consistent: bool = False,
) -> Page[E | F]: ...
@overload
def query(
    entity: type[E],
    second: type[F],
    third: type[G],
    /,
    *,
    newest_first: bool = False,
    descending: bool = False,
    limit: int | None = None,
    consistent: bool = False,
) -> Page[E | F | G]: ...
@overload
def query(
    entity: type[E],
    second: type[F],
    third: type[G],
    fourth: type[H],
    /,
    *,
    newest_first: bool = False,
    descending: bool = False,
    limit: int | None = None,
    consistent: bool = False,
) -> Page[E | F | G | H]: ...
def query(
    entity: type[Any],
    /,
    *others: type[Any],
    view: type[Any] | None = None,
    where: Callable[[Any], bool] | None = None,
    filter: Callable[[Any], bool] | None = None,
    order_by: Callable[[Any], object] | None = None,
    newest_first: bool = False,
    descending: bool = False,
    limit: int | None = None,
    hydrate: bool = False,
    consistent: bool = False,
) -> Any:
    """Read the items that match the parameters and `where`, in key order: one Query request per page.

    Declare `limit: int` and `cursor: str | None = None` as parameters to let the caller paginate. With two to four
    entities, such as `query(Post, Photo)`, the page contains the items of all of them in one order.

    - `where`: fixes key fields to constants: `where=lambda o: o.status == "OPEN"`.
    - `filter`: a condition that DynamoDB applies after the read; you also pay for the items that it discards.
    - `order_by`: the field to sort by, such as `lambda o: o.total`. The index must provide this order.
    - `newest_first`: the newest item is first; the items must be sorted by a date or datetime.
    - `descending`: the highest value is first, for numbers and text.
    - `limit`: the maximum number of items per page.
    - `view`: a class with some of the fields, for an index that does not contain all fields.
    - `hydrate`: if the index does not contain all fields, fetch the complete items with BatchGetItem.
    - `consistent`: use strongly consistent reads; a global index does not support them.
    """
    _check_direction("query", newest_first, descending)
    if others:
        given = (entity, *others)
        if extra := [name for name, value in (("where", where), ("filter", filter), ("order_by", order_by)) if value]:
            raise _design_error(f"a query for several entities does not take {' or '.join(extra)}=")
        return FeedIntent(_feed_shape(given), newest_first, _limit(limit), consistent, descending, given)
    order = None if order_by is None else record_path(entity, order_by)
    where_, filter_ = _recorded(entity, where), _recorded(entity, filter)
    limit_ = _limit(limit)
    return QueryIntent(entity, where_, filter_, order, newest_first, limit_, view, hydrate, consistent, descending)


def _check_direction(function: str, newest_first: bool, descending: bool) -> None:
    if newest_first and descending:
        message = f"{function} has both newest_first= and descending="
        raise _design_error(message, "Use newest_first= for dates and datetimes, and descending= for other fields.")


@cache
def _feed_shape(entities: tuple[type, ...]) -> type:
    """Return the shape of a feed: a class with a list of each entity."""
    for each in entities:
        if not isinstance(each, type):  # pyright: ignore[reportUnnecessaryIsInstance]  # an argument of the user
            raise _design_error(f"query has {each!r}, which is not a class", "Pass one entity per argument.")
    members = [(f"member{place}", list[each]) for place, each in enumerate(entities)]  # type: ignore[valid-type]
    return make_dataclass(" | ".join(each.__name__ for each in entities), members)


def collection(
    shape: type[E],
    *,
    newest_first: bool = False,
    descending: bool = False,
    limit: int | None = None,
    consistent: bool = False,
) -> E | None:
    """Read an item collection, the items of several entities in one partition, into the class `shape`.

    The fields of `shape` are entities (required), `Entity | None` (optional) or `list[Entity]`. The pattern reads the
    whole collection and returns None if it is empty. It raises CollectionIncomplete if a required member is missing.

    - `newest_first`: the newest item of the list is first; `descending`: the highest value, for numbers and text.
    - `limit`: the maximum number of items in the list of the shape.
    - `consistent`: use strongly consistent reads.
    """
    _check_direction("collection", newest_first, descending)
    return cast(E, CollectionIntent(shape, newest_first, _limit(limit), consistent, descending))


def within(entity: type[E], *, filter: Callable[[E], bool] | None = None) -> list[E]:
    """Read the items in an area, which is a parameter of the pattern: `area: Radius`, `area: Box` or `area: Nearest`.

    The entity needs a `geohash(...)` in its keys. `Radius` and `Nearest` return the nearest items first, `Box` from
    south to north and west to east. `filter` is a condition that DynamoDB applies after reading.
    """
    return cast("list[E]", WithinIntent(entity, _recorded(entity, filter)))


def ancestors(entity: type[E], *, consistent: bool = False) -> list[E]:
    """Read a tree node and its ancestors, from the root down to the node. A parameter contains the path of the node.

    The pattern computes the keys from the path and reads the items with BatchGetItem. `@pattern(fanout=n)` declares the
    maximum depth.
    """
    return cast("list[E]", AncestorsIntent(entity, consistent))


def put(entity: type[E]) -> E:
    """Write an item, replacing the item with the same key. The parameters are the object itself, or its fields."""
    return cast(E, ItemWriteIntent("put", entity))


def create(entity: type[E]) -> E:
    """Write a new item. The call raises AlreadyExists if an item with the same key exists."""
    return cast(E, ItemWriteIntent("create", entity))


def update(
    entity: type[E],
    *changes: FieldChange[E],
    where: Callable[[E], bool] | None = None,
    validate: Validation = "whole",
) -> E:
    """Change fields of an existing item. The pattern returns the updated object.

    The parameters provide the key, and values for the changes and for `where`:
    `update(Order, field(Order, lambda o: o.status).set("SHIPPED"), where=lambda o: o.status == "PENDING")`.
    Index keys that depend on a changed field are updated too. The call raises NotFound if the item does not exist,
    ConditionFailed if `where` is false, and InvalidValue if a value violates a rule of the class.

    - `changes`: `field(...).set(...)`, `.add(...)`, `.discard(...)`, `.append(...)` or `.remove()`.
    - `where`: a condition on the stored item.
    - `validate`: a class with rules about several fields (a `model_validator`, `__post_init__`) is validated as a
      whole; this needs a read before the write. `validate="fields"` skips these rules and the read.
    """
    if validate not in ("whole", "fields"):
        raise _design_error(f'validate must be "whole" or "fields", got {validate!r}')
    if not changes:
        raise _design_error(
            f"update({entity.__name__}) has no changes", "Pass at least one change, such as field(...).set(...)."
        )
    for each in changes:
        if each.entity is not entity:
            raise _design_error(f"{each.change.path} is a field of {each.entity.__name__}, not of {entity.__name__}")
        each.check_value()
    _check_overlaps([each.change for each in changes])
    recorded = tuple(each.change for each in changes)
    return cast(E, ItemWriteIntent("update", entity, recorded, _recorded(entity, where), validate))


def _check_overlaps(changes: list[Change]) -> None:
    """Raise DesignError if two changes overlap; DynamoDB rejects such an update."""
    for number, change in enumerate(changes):
        for other in changes[:number]:
            shorter, longer = sorted((change.path.steps, other.path.steps), key=len)
            if longer[: len(shorter)] == shorter:
                message = f"the update changes {other.path} and {change.path}, which overlap"
                raise DesignError(
                    Problem(message, None, "Combine them into one change; DynamoDB rejects overlapping changes.")
                )


def delete(entity: type[E], *, where: Callable[[E], bool] | None = None) -> E | None:
    """Delete an item. The pattern returns the deleted object, or None if it did not exist.

    With `where`, the call raises ConditionFailed if the condition is false.
    """
    return cast(E, ItemWriteIntent("delete", entity, (), _recorded(entity, where)))
