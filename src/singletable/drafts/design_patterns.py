"""Access patterns of a design as drafts: what each reads or writes, by which parameters and conditions."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Iterator
from typing import Any, cast

from singletable.drafts.draft import (
    Comparator,
    DraftParameter,
    DraftPattern,
    DraftTest,
    FieldType,
    RangeKind,
    ReadKind,
    Scalar,
)
from singletable.expressions.tree import And, Change, Compare, Condition, Constant, Function, Parameter, Path
from singletable.model.declaration import CURSOR, LIMIT, ParameterDeclaration, PatternDeclaration
from singletable.model.design import Design
from singletable.model.intents import Ancestors, Collection, Get, Query, Within, Write
from singletable.model.ranges import Equal
from singletable.model.recorder import Argument
from singletable.model.shape import Member, members_of

Typed = Callable[[Any], tuple[FieldType, tuple[str, ...]]]
_COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")


class _Unsaid(Exception):
    """A pattern says what a draft cannot; carries what that is."""


def draft_pattern(design: Design, pattern: PatternDeclaration, typed: Typed) -> DraftPattern | str:
    """The pattern as a draft, or what of it no draft can say."""
    try:
        return _pattern(design, pattern, typed)
    except _Unsaid as problem:
        return str(problem)


def _pattern(design: Design, pattern: PatternDeclaration, typed: Typed) -> DraftPattern:
    intent = pattern.intent
    if getattr(intent, "view", None) is not None or getattr(intent, "hydrate", False):
        raise _Unsaid("it reads a view of its entity, or fetches whole items behind an index")
    if isinstance(intent, Collection):
        found = members_of(intent.shape)
        entities = tuple(dict.fromkeys(each.entity.__name__ for each in found))
        members = tuple((each.name, _member(each)) for each in found)
    else:
        entities, members = (intent.entity.__name__,), ()
    changes, constants = _changes(intent.changes) if isinstance(intent, Write) else ((), {})
    limit = getattr(intent, "limit", None)
    if isinstance(limit, Argument) and limit.argument_name != LIMIT:
        raise _Unsaid(f"its limit is the parameter {limit.argument_name}")
    options = pattern.options
    entry = options.entry
    return DraftPattern(
        name=pattern.name,
        title=pattern.title,
        kind=_kind(intent),
        entities=entities,
        parameters=tuple(_parameters(pattern, typed)),
        newest_first=bool(getattr(intent, "newest_first", False)),
        has_limit=LIMIT in pattern.parameters,
        limit_default=_limit_default(pattern),
        changes=changes,
        constants=constants,
        where=tuple(_tests(getattr(intent, "where", None))),
        filter=tuple(_tests(getattr(intent, "filter", None))),
        order_by=_order(intent),
        limit=limit if type(limit) is int else None,
        members=members,
        consistent=bool(getattr(intent, "consistent", False)),
        entry=entry.__name__ if isinstance(entry, type) else entry,
        expected_items=options.expected_items,
        expected_examined=options.expected_examined,
        frequency=options.frequency,
        rate=options.rate,
        budget_ms=options.budget_ms,
        fanout=options.fanout,
        accept=dict(options.accept or {}),
    )


def _kind(intent: Any) -> Any:
    if isinstance(intent, Write):
        return intent.kind
    kinds: dict[type, ReadKind] = {
        Get: "get",
        Query: "query",
        Collection: "collection",
        Within: "within",
        Ancestors: "ancestors",
    }
    if type(intent) not in kinds:
        raise _Unsaid(f"it is a kind of read that drafts do not know, {type(intent).__name__}")
    return kinds[type(intent)]


def _member(member: Member) -> str:
    name = member.entity.__name__
    return {"one": name, "maybe": f"{name} | None", "many": f"list[{name}]"}[member.kind]


def _limit_default(pattern: PatternDeclaration) -> int:
    given = pattern.signature.parameters.get(LIMIT)
    if given is None or given.default is inspect.Parameter.empty or type(given.default) is not int:
        return 20
    return int(given.default)


def _parameters(pattern: PatternDeclaration, typed: Typed) -> Iterator[DraftParameter]:
    """What the pattern is given; the whole item of a put, the limit and the cursor are understood."""
    if isinstance(pattern.intent, Write) and pattern.intent.kind in ("put", "create"):
        return
    for each in pattern.parameters.values():
        if each.name not in (LIMIT, CURSOR):
            yield _parameter(each, typed)


def _parameter(declared: ParameterDeclaration, typed: Typed) -> DraftParameter:
    kind, choices = typed(declared.type)
    test = declared.test.__name__
    return DraftParameter(
        declared.name,
        kind,
        None if declared.test is Equal else cast(RangeKind, test),
        () if test in ("Radius", "Box", "Nearest") else choices,
    )


def _order(intent: Any) -> str | None:
    path = getattr(intent, "order_by", None)
    return None if path is None else _field(path)


def _field(path: Any) -> str:
    if not isinstance(path, Path) or len(path.steps) != 1 or not isinstance(path.steps[0], str):
        raise _Unsaid("it looks inside a field")
    return path.steps[0]


def _tests(condition: Condition | None) -> Iterator[DraftTest]:
    if condition is None:
        return
    for part in condition.parts if isinstance(condition, And) else (condition,):
        if isinstance(part, Function) and part.name == "attribute_exists":
            yield DraftTest(_field(part.arguments[0]), "exists")
        elif isinstance(part, Function) and part.name == "contains":
            yield _test(part.arguments[0], "contains", part.arguments[1])
        elif isinstance(part, Compare) and part.comparator in _COMPARATORS:
            yield _test(part.left, cast(Comparator, part.comparator), part.right)
        else:
            raise _Unsaid("its condition is more than comparisons of fields")


def _test(left: Any, comparator: Comparator, right: Any) -> DraftTest:
    if isinstance(right, Parameter):
        return DraftTest(_field(left), comparator, None, right.name)
    if isinstance(right, Constant):
        return DraftTest(_field(left), comparator, _scalar(right.value))
    raise _Unsaid("its condition compares two fields")


def _scalar(value: Any) -> Scalar:
    plain = value.value if isinstance(value, enum.Enum) else value
    if not isinstance(plain, str | int | float | bool):
        raise _Unsaid(f"it holds the value {value!r}")
    return plain


def _changes(changes: tuple[Change, ...]) -> tuple[tuple[str, ...], dict[str, Scalar]]:
    """The fields that an update sets to the parameter of their name, and those that it sets to a constant."""
    given: list[str] = []
    constants: dict[str, Scalar] = {}
    for change in changes:
        name = _field(change.path)
        if change.action == "SET" and isinstance(change.value, Parameter) and change.value.name == name:
            given.append(name)
        elif change.action == "SET" and isinstance(change.value, Constant):
            constants[name] = _scalar(change.value.value)
        else:
            raise _Unsaid(f"it changes {name} by more than setting it")
    return tuple(given), constants
