"""Schema upgrades: the `@upgrade` decorator, for functions that convert stored items to the next schema version."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from singletable.errors import DesignError, Location, Problem
from singletable.lazy_dataclass import dataclass
from singletable.model import source_location

if TYPE_CHECKING:
    from singletable.model.entity import EntityDeclaration

MARK = "__singletable_upgrades__"
"""The class attribute that stores the upgrades of an entity."""

Function = Callable[[Any], Mapping[str, Any]]
F = TypeVar("F", bound=Function)


@dataclass(frozen=True)
class Upgrade:
    """A function that converts items from one schema version to the next."""

    function: Function
    from_version: int
    location: Location

    @property
    def label(self) -> str:
        """The function name and its location, for messages."""
        return f"{getattr(self.function, '__name__', 'the upgrade')} ({self.location.full})"


def upgrade(entity: type, *, from_version: int) -> Callable[[F], F]:
    """Declare a function that converts stored items of `entity` from a schema version to the next one.

    The function takes a dict of the stored fields, which it may change, and returns a dict in the format of the next
    version. It can rename, split, add, remove or convert fields. The values have the types that DynamoDB stores: str,
    int, Decimal, bool, bytes, list, dict and set. For example, a datetime is a str. The returned values can have any
    type that a field can have. The decorator returns the function unchanged, so that you can test it directly.
    """
    declared_at = source_location.caller()

    def declare(function: F) -> F:
        location = source_location.of_function(function) if hasattr(function, "__code__") else declared_at
        known = upgrades_of(entity)
        made = Upgrade(function, from_version, location)
        if problem := _problem(entity, made, known):
            raise DesignError(problem)
        setattr(entity, MARK, {**known, from_version: made})
        return function

    return declare


def upgrades_of(cls: Any) -> Mapping[int, Upgrade]:
    """Return the upgrades of a class, by the version that each one starts from."""
    found: Mapping[int, Upgrade] = getattr(cls, "__dict__", {}).get(MARK, {})
    return found


def upgrade_problems(declaration: EntityDeclaration) -> Iterator[Problem]:
    """Yield a problem for each older schema version without an upgrade."""
    current = declaration.schema_version
    known = upgrades_of(declaration.cls)
    for version in range(1, current or 1):
        if version not in known:
            name = declaration.cls.__name__
            yield Problem(
                f"{name} has schema version {current}, but no upgrade from version {version}",
                declaration.location,
                f"Declare @upgrade({name}, from_version={version}) before the table. If no items of that version "
                "remain, let the function raise an exception.",
            )


def _problem(entity: Any, made: Upgrade, known: Mapping[int, Upgrade]) -> Problem | None:
    from singletable.model.entity import declaration_of

    declaration, name = declaration_of(entity), getattr(entity, "__name__", repr(entity))
    version: Any = made.from_version
    if declaration is None:
        return Problem(
            f"@upgrade({name}): the class is not an entity", made.location, "Decorate the class with @entity."
        )
    current = declaration.schema_version
    if current is None:
        return Problem(
            f"@upgrade({name}, from_version={version!r}): {name} has no schema version",
            declaration.location,
            f"Declare @entity(schema_version=...) on {name}: the version that the last upgrade produces.",
        )
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version < current:
        return Problem(
            f"@upgrade({name}, from_version={version!r}): {name} has schema version {current}",
            made.location,
            "from_version must be at least 1 and less than schema_version; increase schema_version= if necessary.",
        )
    if version in known:
        return Problem(
            f"{name} has two upgrades from version {version}; the other is {known[version].label}",
            made.location,
            "Change from_version of one upgrade.",
        )
    return None
