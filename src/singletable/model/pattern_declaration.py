"""Access patterns as declared: the signature of the method, its options, and the intent that its body returns."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union, get_args, get_origin

from singletable.errors import DesignError, Location, Problem
from singletable.lazy_dataclass import dataclass
from singletable.model import source_location
from singletable.model.condition_recorder import ParameterPlaceholder
from singletable.model.entity import ACCEPT_REMEDY, Accepted, accept_problem
from singletable.model.fields import name_of, strip
from singletable.model.intents import (
    AncestorsIntent,
    CollectionIntent,
    FeedIntent,
    GetIntent,
    Intent,
    ItemWriteIntent,
    Page,
    QueryIntent,
    WithinIntent,
    used_parameters,
)
from singletable.model.parameter_types import AREA_TYPES, RANGE_TYPES, Equal

LIMIT, CURSOR = "limit", "cursor"
Frequency = Literal["unknown", "very low", "low", "medium", "high", "very high"]
FREQUENCIES: tuple[str, ...] = get_args(Frequency)
CALLS_PER_SECOND: Mapping[str, float] = {"very low": 0.1, "low": 1, "medium": 10, "high": 100, "very high": 1000}
"""The calls per second that each frequency word stands for. An explicit rate takes precedence over the word."""


@dataclass(frozen=True)
class PatternOptions:
    """The keyword arguments of `@pattern`."""

    frequency: Frequency | float | None = None
    rate: float | None = None
    budget_ms: float | None = None
    entry: type | str | None = None
    fanout: int | None = None
    max_requests: int | None = None
    expected_items: int | None = None
    expected_examined: int | None = None
    accept: Accepted | None = None


@dataclass(frozen=True)
class ParameterDeclaration:
    """A parameter: the predicate that it applies to its field, and the type of its values."""

    name: str
    test: type
    type: Any
    required: bool

    @property
    def type_name(self) -> str:
        """The annotation, for messages."""
        inner = name_of(self.type)
        return inner if self.test in (Equal, *AREA_TYPES) else f"{self.test.__name__}[{inner}]"


@dataclass(frozen=True)
class PatternDeclaration:
    """An access pattern: name, parameters, intent and options."""

    name: str
    title: str
    location: Location
    parameters: Mapping[str, ParameterDeclaration]
    intent: Intent
    options: PatternOptions
    signature: inspect.Signature
    documentation: str = ""
    """The whole docstring."""
    module: str = ""

    @property
    def bound_parameters(self) -> tuple[ParameterDeclaration, ...]:
        """The parameters that bind to fields by name: all except `limit`, `cursor` and those that the body uses."""
        used = used_parameters(self.intent)
        return tuple(p for p in self.parameters.values() if p.name not in used and p.name not in (LIMIT, CURSOR))

    @property
    def rate(self) -> float | None:
        """The calls per second. None unless they are declared as a number."""
        if self.options.rate is not None:
            return float(self.options.rate)
        return float(self.options.frequency) if isinstance(self.options.frequency, int | float) else None

    @property
    def calls_per_second(self) -> float | None:
        """The calls per second, as declared or as estimated from the frequency word. None if neither is declared."""
        return self.rate if self.rate is not None else CALLS_PER_SECOND.get(str(self.options.frequency))

    @property
    def is_write(self) -> bool:
        """Whether the pattern writes to the table."""
        return isinstance(self.intent, ItemWriteIntent)


def declare_pattern(function: Callable[..., Any], options: PatternOptions) -> PatternDeclaration:
    """Return the declaration of a pattern from its signature and its body. Raise DesignError if it is invalid."""
    location = source_location.of_function(function)
    name = function.__name__

    def error(message: str, remedy: str | None = None) -> DesignError:
        return DesignError(Problem(f"pattern {name}: {message}", location, remedy))

    _check_options(options, error)
    hints = _hints(function, error)
    signature = inspect.signature(function)
    given = list(signature.parameters.values())
    if not given or (given[0].name != "self" and given[0].annotation is not inspect.Parameter.empty):
        raise error("the first parameter must be self", "A pattern is a method: def customer(self, id: str) -> ...")
    parameters = {parameter.name: _parameter(parameter, hints, error) for parameter in given[1:]}
    intent = _evaluate(function, parameters, location)
    if "return" not in hints:
        raise error("has no return type", "Annotate the result: -> Customer | None.")
    _check_return(intent, hints["return"], error)
    documentation = inspect.getdoc(function) or ""
    title = (documentation or name.replace("_", " ")).splitlines()[0].rstrip(".")
    module = function.__module__
    return PatternDeclaration(
        name, title, location, parameters, intent, options, signature, documentation=documentation, module=module
    )


ErrorFactory = Callable[..., DesignError]


def _check_options(options: PatternOptions, error: ErrorFactory) -> None:
    if problem := accept_problem(options.accept):
        raise error(problem, ACCEPT_REMEDY)
    word = options.frequency
    if isinstance(word, str) and word not in FREQUENCIES:
        raise error(f"frequency {word!r} is not valid", f"Use one of {', '.join(FREQUENCIES)}, or a number.")
    for option in ("frequency", "rate", "budget_ms"):
        value = getattr(options, option)
        if value is None or (option == "frequency" and isinstance(value, str)):
            continue
        # this form of the comparison also rejects NaN
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise error(f"{option} must be a number, 0 or greater, not {value!r}")
    for option, least in (("fanout", 1), ("max_requests", 1), ("expected_items", 0), ("expected_examined", 0)):
        value = getattr(options, option)
        if value is not None and (type(value) is not int or value < least):  # the comparison of types also rejects True
            raise error(f"{option} must be an integer, {least} or greater, not {value!r}")


def _hints(function: Callable[..., Any], error: ErrorFactory) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception as problem:
        raise error(
            f"the annotations cannot be resolved: {problem}",
            "Use types that are defined or imported in the module.",
        ) from problem


def _parameter(parameter: inspect.Parameter, hints: Mapping[str, Any], error: ErrorFactory) -> ParameterDeclaration:
    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise error(
            f"*{name} is not supported",
            "Declare each parameter by name; each parameter binds to the field of the same name.",
        )
    if name not in hints:
        raise error(f"the parameter {name!r} has no type", "Annotate it with the type of its field.")
    annotation, optional = strip(hints[name])
    required = parameter.default is parameter.empty
    if optional and name != CURSOR:
        raise error(
            f"the parameter {name!r} must not be optional, because a call without it needs a different plan",
            "Declare two patterns, one with the parameter and one without it.",
        )
    if get_origin(annotation) in RANGE_TYPES:
        origin = get_origin(annotation)
        return ParameterDeclaration(name, typing.cast(type, origin), strip(get_args(annotation)[0])[0], required)
    if annotation in RANGE_TYPES:
        raise error(
            f"the parameter {name!r} is {annotation.__name__} without a type",
            "Add the type of the field, such as Between[datetime].",
        )
    if not _is_type(annotation):
        raise error(
            f"the annotation of {name!r} is {annotation!r}, which is not a type", "Annotate it with the field's type."
        )
    return ParameterDeclaration(name, annotation if annotation in AREA_TYPES else Equal, annotation, required)


def _is_type(annotation: Any) -> bool:
    try:
        hash(annotation)
    except TypeError:
        return False
    return isinstance(annotation, type) or get_origin(annotation) is not None


def _evaluate(
    function: Callable[..., Any], parameters: Mapping[str, ParameterDeclaration], location: Location
) -> Intent:
    name = function.__name__
    bound = inspect.signature(function).bind_partial(ParameterPlaceholder("self"))
    bound.arguments |= {parameter: ParameterPlaceholder(parameter) for parameter in parameters}
    try:
        intent = function(*bound.args, **bound.kwargs)
    except DesignError as error:
        located = [Problem(f"pattern {name}: {p.message}", p.location or location, p.remedy) for p in error.problems]
        raise DesignError(located) from error
    except Exception as problem:
        line = _raised_at(problem, function) or location
        message = f"pattern {name}: the body raised {type(problem).__name__}: {problem}"
        raise DesignError(
            Problem(
                message,
                line,
                "The body runs once, when the class is defined. "
                "It must only return the result of a function such as get(), query() or put().",
            )
        ) from problem
    if not isinstance(
        intent, GetIntent | QueryIntent | CollectionIntent | WithinIntent | AncestorsIntent | ItemWriteIntent
    ):
        raise DesignError(
            Problem(
                f"pattern {name}: the body returns {type(intent).__name__}, which is not a read or write",
                location,
                "Return get(...), query(...), collection(...), within(...), ancestors(...), put(...), create(...), "
                "update(...) or delete(...).",
            )
        )
    view = getattr(intent, "view", None)
    for subject in (intent.shape if isinstance(intent, CollectionIntent) else intent.entity, view or type):
        if not isinstance(subject, type):
            raise DesignError(Problem(f"pattern {name}: the body names {subject!r}, which is not a class", location))
    return intent


def _raised_at(problem: BaseException, function: Callable[..., Any]) -> Location | None:
    traceback, found = problem.__traceback__, None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == function.__code__.co_filename:
            found = Location(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def _check_return(intent: Intent, annotation: Any, error: ErrorFactory) -> None:
    expected = _result_type(intent)
    if _same_type(annotation, expected):
        return
    raise error(
        f"is annotated with {_type_text(annotation)}, but its body returns {_type_text(expected)}",
        f"Change the annotation to -> {_type_text(expected)}, or change the body.",
    )


def _result_type(intent: Intent) -> Any:
    match intent:
        case GetIntent():
            return _optional(intent.view or intent.entity)
        case FeedIntent(entities=entities):
            return Page[Union[entities]]  # type: ignore[valid-type]  # noqa: UP007  # classes known only at run time
        case QueryIntent():
            return Page[intent.view or intent.entity]  # type: ignore[misc]  # a class known only at run time
        case CollectionIntent():
            return _optional(intent.shape)
        case WithinIntent() | AncestorsIntent():
            return list[intent.entity]  # type: ignore[name-defined]  # a class known only at run time
        case ItemWriteIntent(kind="delete"):
            return _optional(intent.entity)
        case ItemWriteIntent():
            return intent.entity


def _optional(cls: Any) -> Any:
    return cls | None


def _same_type(first: Any, second: Any) -> bool:
    if get_origin(first) in (Union, types.UnionType) and get_origin(second) in (Union, types.UnionType):
        return set(get_args(first)) == set(get_args(second))
    if get_origin(first) is Page and get_origin(second) is Page:
        return _same_type(get_args(first)[0], get_args(second)[0])
    return bool(first == second)


def _type_text(annotation: Any) -> str:
    if get_origin(annotation) in (Union, types.UnionType):
        return " | ".join("None" if member is type(None) else name_of(member) for member in get_args(annotation))
    return "None" if annotation is type(None) else name_of(annotation)
