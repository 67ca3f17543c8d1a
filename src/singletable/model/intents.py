"""What the body of a pattern says: what is read or written, while the planner decides how.

The functions are typed as the answer that the pattern gives, so that a body which reads another entity than the
signature promises is a type error; what they return is the intent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

from singletable.errors import DesignError, Problem
from singletable.expressions.tree import Change, Condition, Constant, Path, parameters
from singletable.model import source
from singletable.model.changes import FieldChange
from singletable.model.page import Page
from singletable.model.recorder import Argument, record_condition, record_path

if TYPE_CHECKING:
    from singletable.model.rules.value_rules import Validation

E = TypeVar("E")
V = TypeVar("V")
Limit = int | Argument | None


WriteKind = Literal["put", "create", "update", "delete"]


@dataclass(frozen=True)
class Get:
    """One item of an entity, or none."""

    entity: type
    where: Condition | None
    view: type | None
    consistent: bool


@dataclass(frozen=True)
class Query:
    """A page of items of one entity."""

    entity: type
    where: Condition | None
    filter: Condition | None
    order_by: Path | None
    newest_first: bool
    limit: Limit
    view: type | None
    hydrate: bool
    consistent: bool


@dataclass(frozen=True)
class Collection:
    """Items of several entities in one partition, as a shape."""

    shape: type
    newest_first: bool
    limit: Limit
    consistent: bool


@dataclass(frozen=True)
class Within:
    """Items of an entity inside an area, in the order of its kind."""

    entity: type
    filter: Condition | None


@dataclass(frozen=True)
class Ancestors:
    """The items of an entity on the way from the root of a tree down to a path, itself included."""

    entity: type
    consistent: bool


@dataclass(frozen=True)
class Write:
    """One item of an entity written or taken away."""

    kind: WriteKind
    entity: type
    changes: tuple[Change, ...] = ()
    where: Condition | None = None
    validation: Validation = "whole"
    """Of an update: `fields` waives rules that need the whole object."""

    @property
    def changed(self) -> frozenset[str]:
        """The fields that an update changes, wholly or inside."""
        return frozenset(str(change.path.steps[0]) for change in self.changes)

    @property
    def removed(self) -> frozenset[str]:
        """The fields that an update takes away."""
        gone = (change.path.steps for change in self.changes if _takes_away(change))
        return frozenset(str(steps[0]) for steps in gone if len(steps) == 1)


def _takes_away(change: Change) -> bool:
    """Whether a change is a removal; None is not stored, so that a field set to it goes as well."""
    return change.action == "REMOVE" or (isinstance(change.value, Constant) and change.value.value is None)


Intent = Get | Query | Collection | Within | Ancestors | Write


def used_parameters(intent: Intent) -> frozenset[str]:
    """The parameters that the body itself uses, in a filter, a condition, a change or a limit."""
    named = parameters((getattr(intent, "filter", None), getattr(intent, "where", None)))
    named |= parameters(getattr(intent, "changes", ()))
    limit = getattr(intent, "limit", None)
    return named | ({limit.argument_name} if isinstance(limit, Argument) else frozenset())


def _recorded(entity: type, function: Callable[[Any], Any] | None) -> Condition | None:
    return None if function is None else record_condition(entity, function)


def _limit(limit: Limit) -> Limit:
    if limit is None or isinstance(limit, Argument) or (type(limit) is int and limit >= 1):
        return limit
    raise _refused(f"limit={limit!r} counts items, from 1 up")


def _refused(message: str, remedy: str | None = None) -> DesignError:
    return DesignError(Problem(message, source.user_code(), remedy))


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
    """Read one item of an entity: one GetItem, answered by the object or None.

    Every field of the key is given by a parameter, or fixed by `where`. `view` is a smaller class, whose fields alone
    are asked for; `consistent` reads strongly.
    """
    return Get(entity, _recorded(entity, where), view, consistent)


@overload
def query(
    entity: type[E],
    *,
    where: Callable[[E], bool] | None = None,
    filter: Callable[[E], bool] | None = None,
    order_by: Callable[[E], object] | None = None,
    newest_first: bool = False,
    limit: int | None = None,
    hydrate: bool = False,
    consistent: bool = False,
) -> Page[E]: ...
@overload
def query(
    entity: type[E],
    *,
    view: type[V],
    where: Callable[[E], bool] | None = None,
    filter: Callable[[E], bool] | None = None,
    order_by: Callable[[E], object] | None = None,
    newest_first: bool = False,
    limit: int | None = None,
    consistent: bool = False,
) -> Page[V]: ...
def query(
    entity: type[Any],
    *,
    view: type[Any] | None = None,
    where: Callable[[Any], bool] | None = None,
    filter: Callable[[Any], bool] | None = None,
    order_by: Callable[[Any], object] | None = None,
    newest_first: bool = False,
    limit: int | None = None,
    hydrate: bool = False,
    consistent: bool = False,
) -> Any:
    """Read the items of an entity that the parameters and `where` select by key, in key order: one Query a page.

    `newest_first` reads backwards and needs a date or datetime to be what the answer is sorted by; `order_by` names any
    other field, such as `lambda order: order.total`. A pattern whose index does not give the order is refused. `limit`
    is the most that a page has, and `consistent` reads strongly, which a global index cannot.

    `filter` is applied by DynamoDB after it has read and billed the items, and so must be asked for by name. `view`
    reads a smaller class out of an index that does not hold every field; `hydrate` fetches the whole items instead.
    """
    order = None if order_by is None else record_path(entity, order_by)
    where_, filter_ = _recorded(entity, where), _recorded(entity, filter)
    return Query(entity, where_, filter_, order, newest_first, _limit(limit), view, hydrate, consistent)


def collection(
    shape: type[E], *, newest_first: bool = False, limit: int | None = None, consistent: bool = False
) -> E | None:
    """Read items of several entities that share a partition, as the class `shape`: one Query.

    Its members are entities (required), `Entity | None`, or `list[Entity]`. It is read to its end, whatever its size;
    it is None when nothing is there, and CollectionIncomplete is raised when a required member is missing. `limit`
    counts the items of the shape's one list, and `newest_first` reads it backwards.
    """
    return cast(E, Collection(shape, newest_first, _limit(limit), consistent))


def within(entity: type[E], *, filter: Callable[[E], bool] | None = None) -> list[E]:
    """Read the items inside the area that a parameter gives: `area: Radius`, `area: Box` or `area: Nearest`.

    A circle and the nearest places are answered nearest first, a box from south to north and then west to east; what
    is equal by that comes in the order of the items' keys.
    """
    return cast("list[E]", Within(entity, _recorded(entity, filter)))


def ancestors(entity: type[E], *, consistent: bool = False) -> list[E]:
    """Read the nodes on the way from the root of a tree down to the path that a parameter gives, itself included.

    Every key on the way is computed, so that BatchGetItem reads them all; `@pattern(fanout=n)` is the deepest path.
    """
    return cast("list[E]", Ancestors(entity, consistent))


def put(entity: type[E]) -> E:
    """Write an item, in place of the one that was there; a parameter is the object, or parameters are its fields."""
    return cast(E, Write("put", entity))


def create(entity: type[E]) -> E:
    """Write an item that must not be there yet; the call raises AlreadyExists otherwise."""
    return cast(E, Write("create", entity))


def update(
    entity: type[E],
    *changes: FieldChange[E],
    where: Callable[[E], bool] | None = None,
    validate: Validation = "whole",
) -> E:
    """Change fields of an existing item, if the condition holds; the pattern returns the object after the update.

    Parameters give the key, and values for changes and `where`:
    `update(Order, field(Order, lambda o: o.status).set("SHIPPED"), where=lambda o: o.status == "PENDING")`. Every index
    key that depends on a changed field is updated too. The call raises NotFound, ConditionFailed or InvalidValue.

    A class with rules about several fields (a `model_validator`, `__post_init__`) is validated whole, which takes a
    read before the write. `validate="fields"` waives those rules, and the read.
    """
    if validate not in ("whole", "fields"):
        raise _refused(f'validate={validate!r} is not supported; use "whole" or "fields"')
    if not changes:
        raise _refused(f"the update of {entity.__name__} changes nothing", "Give it field(...).set(...) or the like.")
    for each in changes:
        if each.entity is not entity:
            raise _refused(f"{each.change.path} is a field of {each.entity.__name__}, not of {entity.__name__}")
        each.check_value()
    _refuse_overlaps([each.change for each in changes])
    recorded = tuple(each.change for each in changes)
    return cast(E, Write("update", entity, recorded, _recorded(entity, where), validate))


def _refuse_overlaps(changes: list[Change]) -> None:
    """DynamoDB refuses an update that names one path twice, or a path and a place inside it."""
    for number, change in enumerate(changes):
        for other in changes[:number]:
            shorter, longer = sorted((change.path.steps, other.path.steps), key=len)
            if longer[: len(shorter)] == shorter:
                message = f"the update changes {other.path} and {change.path}, which overlap"
                raise DesignError(Problem(message, None, "Bring them into one change; DynamoDB refuses the two."))


def delete(entity: type[E], *, where: Callable[[E], bool] | None = None) -> E | None:
    """Take an item away, if the condition holds; answers the item that was there, or None."""
    return cast(E, Write("delete", entity, (), _recorded(entity, where)))
