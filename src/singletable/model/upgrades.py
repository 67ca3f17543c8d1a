"""Upgrades: functions that take the fields of a stored item from one schema version of its entity to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from singletable.errors import DesignError, Location, Problem
from singletable.model import source

if TYPE_CHECKING:
    from singletable.model.entity import EntityDeclaration

MARK = "__singletable_upgrades__"
"""The class attribute that holds an entity's upgrades, beside its declaration; there is no other registry."""

Function = Callable[[Any], Mapping[str, Any]]
F = TypeVar("F", bound=Function)


@dataclass(frozen=True)
class Upgrade:
    """A step from one schema version to the next."""

    function: Function
    from_version: int
    location: Location

    @property
    def label(self) -> str:
        """The function and where it stands, for messages."""
        return f"{getattr(self.function, '__name__', 'the upgrade')} ({self.location.full})"


def upgrade(entity: type, *, from_version: int) -> Callable[[F], F]:
    """Declare what takes a stored item of `entity` from this schema version to the next one.

    The function is given the item's fields as a dict of its own, by their names, and returns the dict of the next
    version: fields renamed, split, added, dropped, or of another type. Values are as DynamoDB holds them: str, int,
    Decimal, bool, bytes, list, dict, set; what the model stores as text, such as a datetime, is text. It may return
    values of any type that a field can have. The function itself stays as it is, to be called in tests.
    """
    declared_at = source.caller()

    def declare(function: F) -> F:
        location = source.of_function(function) if hasattr(function, "__code__") else declared_at
        known = upgrades_of(entity)
        made = Upgrade(function, from_version, location)
        if problem := _problem(entity, made, known):
            raise DesignError(problem)
        setattr(entity, MARK, {**known, from_version: made})
        return function

    return declare


def upgrades_of(cls: Any) -> Mapping[int, Upgrade]:
    """The upgrades of this very class, by the version that each begins with."""
    found: Mapping[int, Upgrade] = getattr(cls, "__dict__", {}).get(MARK, {})
    return found


def upgrade_problems(declaration: EntityDeclaration) -> Iterator[Problem]:
    """The versions below the entity's own that nothing takes any further."""
    current = declaration.schema_version
    known = upgrades_of(declaration.cls)
    for version in range(1, current or 1):
        if version not in known:
            name = declaration.cls.__name__
            yield Problem(
                f"{name} has schema version {current}, and no upgrade begins with version {version}",
                declaration.location,
                f"Declare @upgrade({name}, from_version={version}) above the table; where no item of that version is "
                "left, let the function raise.",
            )


def _problem(entity: Any, made: Upgrade, known: Mapping[int, Upgrade]) -> Problem | None:
    from singletable.model.entity import declaration_of

    declaration, name = declaration_of(entity), getattr(entity, "__name__", repr(entity))
    version: Any = made.from_version
    if declaration is None:
        return Problem(f"@upgrade({name}): the class has no keys", made.location, "Put @entity on the class.")
    current = declaration.schema_version
    if current is None:
        return Problem(
            f"@upgrade({name}, from_version={version!r}): {name} has no schema version",
            declaration.location,
            f"Say @entity(schema_version=...) on {name}: the version that the last upgrade leads to.",
        )
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version < current:
        return Problem(
            f"@upgrade({name}, from_version={version!r}): {name} has schema version {current}",
            made.location,
            "An upgrade begins with a version from 1 on, below the entity's own; raise schema_version= with it.",
        )
    if version in known:
        return Problem(
            f"two upgrades of {name} begin with version {version}; the other is {known[version].label}",
            made.location,
            "An upgrade goes one version further; give one of them another from_version.",
        )
    return None
