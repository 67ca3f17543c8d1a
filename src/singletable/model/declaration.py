"""Access patterns as declared: a method's signature is the declaration, its body says what is read or written."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from singletable.errors import DesignError, Location, Problem
from singletable.model import source
from singletable.model.areas import AREA_TYPES
from singletable.model.entity import ACCEPT_REMEDY, Accepted, accept_problem
from singletable.model.fields import name_of, strip
from singletable.model.intents import Ancestors, Collection, Get, Intent, Query, Within, Write, used_parameters
from singletable.model.page import Page
from singletable.model.ranges import RANGE_TYPES, Equal
from singletable.model.recorder import Argument

LIMIT, CURSOR = "limit", "cursor"
Frequency = Literal["unknown", "very low", "low", "medium", "high", "very high"]
FREQUENCIES: tuple[str, ...] = get_args(Frequency)
CALLS_PER_SECOND: Mapping[str, float] = {"very low": 0.1, "low": 1, "medium": 10, "high": 100, "very high": 1000}
"""What a word of the worksheet is taken for where a number is needed; a rate of one's own goes before it."""


@dataclass(frozen=True)
class PatternOptions:
    """The worksheet's columns that a signature cannot say."""

    frequency: Frequency | float | None = None
    rate: float | None = None
    budget_ms: float | None = None
    entry: type | str | None = None
    fanout: int | None = None
    expected_items: int | None = None
    expected_examined: int | None = None
    accept: Accepted | None = None


@dataclass(frozen=True)
class ParameterDeclaration:
    """A parameter: the kind of test it makes on the field it binds to, and the type of its values."""

    name: str
    test: type
    type: Any
    required: bool

    @property
    def type_name(self) -> str:
        """The annotation as the user wrote it, near enough for a message."""
        inner = name_of(self.type)
        return inner if self.test in (Equal, *AREA_TYPES) else f"{self.test.__name__}[{inner}]"


@dataclass(frozen=True)
class PatternDeclaration:
    """An access pattern: name, parameters, intent and what the worksheet says of it."""

    name: str
    title: str
    location: Location
    parameters: Mapping[str, ParameterDeclaration]
    intent: Intent
    options: PatternOptions
    signature: inspect.Signature

    @property
    def bound_parameters(self) -> tuple[ParameterDeclaration, ...]:
        """The parameters that bind to fields by name: those that the body does not use itself."""
        used = used_parameters(self.intent)
        return tuple(p for p in self.parameters.values() if p.name not in used and p.name not in (LIMIT, CURSOR))

    @property
    def rate(self) -> float | None:
        """Calls a second, when a number was given."""
        if self.options.rate is not None:
            return float(self.options.rate)
        return float(self.options.frequency) if isinstance(self.options.frequency, int | float) else None

    @property
    def calls_per_second(self) -> float | None:
        """The rate, or what the word for the frequency is taken for; None when neither was given."""
        return self.rate if self.rate is not None else CALLS_PER_SECOND.get(str(self.options.frequency))

    @property
    def is_write(self) -> bool:
        """Whether the pattern changes the table."""
        return isinstance(self.intent, Write)


def declare_pattern(function: Callable[..., Any], options: PatternOptions) -> PatternDeclaration:
    """Read a pattern's signature and evaluate its body once; raises DesignError with what is wrong."""
    location = source.of_function(function)
    name = function.__name__

    def refuse(message: str, remedy: str | None = None) -> DesignError:
        return DesignError(Problem(f"pattern {name}: {message}", location, remedy))

    _check_options(options, refuse)
    hints = _hints(function, refuse)
    signature = inspect.signature(function)
    given = list(signature.parameters.values())
    if not given or (given[0].name != "self" and given[0].annotation is not inspect.Parameter.empty):
        raise refuse("its first parameter is not self", "A pattern is a method: def customer(self, id: str) -> ...")
    parameters = {parameter.name: _parameter(parameter, hints, refuse) for parameter in given[1:]}
    intent = _evaluate(function, parameters, location)
    if "return" not in hints:
        raise refuse("has no return type", "The return type is the shape of the answer: -> Customer | None.")
    _check_return(intent, hints["return"], refuse)
    title = (inspect.getdoc(function) or name.replace("_", " ")).splitlines()[0].rstrip(".")
    return PatternDeclaration(name, title, location, parameters, intent, options, signature)


Refuse = Callable[..., DesignError]


def _check_options(options: PatternOptions, refuse: Refuse) -> None:
    if problem := accept_problem(options.accept):
        raise refuse(problem, ACCEPT_REMEDY)
    word = options.frequency
    if isinstance(word, str) and word not in FREQUENCIES:
        raise refuse(
            f"frequency {word!r} is not a word of the worksheet", f"Use one of {', '.join(FREQUENCIES)}, or a number."
        )
    for option in ("frequency", "rate", "budget_ms", "fanout", "expected_items", "expected_examined"):
        value = getattr(options, option)
        if value is None or (option == "frequency" and isinstance(value, str)):
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:  # NaN is not
            raise refuse(f"{option}={value!r} is not a number from zero up")


def _hints(function: Callable[..., Any], refuse: Refuse) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception as problem:
        raise refuse(
            f"its annotations cannot be read: {problem}",
            "Annotations are types that the module can see: classes defined above, or imported by it.",
        ) from problem


def _parameter(parameter: inspect.Parameter, hints: Mapping[str, Any], refuse: Refuse) -> ParameterDeclaration:
    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise refuse(f"takes *{name}, but every parameter is named", "Name each one; it binds to the field it names.")
    if name not in hints:
        raise refuse(f"the parameter {name!r} has no type", "Give it the type of the field it binds to.")
    annotation, optional = strip(hints[name])
    required = parameter.default is parameter.empty
    if optional and name != CURSOR:
        raise refuse(
            f"the parameter {name!r} may be None, which makes two patterns of one: with it and without it",
            "Declare the two patterns, each with its own name.",
        )
    if get_origin(annotation) in RANGE_TYPES:
        origin = get_origin(annotation)
        return ParameterDeclaration(name, typing.cast(type, origin), strip(get_args(annotation)[0])[0], required)
    if annotation in RANGE_TYPES:
        raise refuse(f"the parameter {name!r} is {annotation.__name__} of what?", "Say it: Between[datetime].")
    if not _is_type(annotation):
        raise refuse(
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
    bound = inspect.signature(function).bind_partial(Argument("self"))
    bound.arguments |= {parameter: Argument(parameter) for parameter in parameters}
    try:
        intent = function(*bound.args, **bound.kwargs)
    except DesignError as error:
        located = [Problem(f"pattern {name}: {p.message}", p.location or location, p.remedy) for p in error.problems]
        raise DesignError(located) from error
    except Exception as problem:
        line = _raised_at(problem, function) or location
        message = f"pattern {name}: its body raised {type(problem).__name__}: {problem}"
        raise DesignError(Problem(message, line, "The body is evaluated once; it only says what is read.")) from problem
    if not isinstance(intent, Get | Query | Collection | Within | Ancestors | Write):
        raise DesignError(
            Problem(
                f"pattern {name}: its body returns {type(intent).__name__}, which says nothing of what is read",
                location,
                "Return get(...), query(...), collection(...), within(...), ancestors(...), put(...), create(...), "
                "update(...) or delete(...).",
            )
        )
    view = getattr(intent, "view", None)
    for subject in (intent.shape if isinstance(intent, Collection) else intent.entity, view or type):
        if not isinstance(subject, type):
            raise DesignError(Problem(f"pattern {name}: its body names {subject!r}, which is not a class", location))
    return intent


def _raised_at(problem: BaseException, function: Callable[..., Any]) -> Location | None:
    traceback, found = problem.__traceback__, None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == function.__code__.co_filename:
            found = Location(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def _check_return(intent: Intent, annotation: Any, refuse: Refuse) -> None:
    expected = _answer_of(intent)
    if _same_type(annotation, expected):
        return
    raise refuse(
        f"promises {_written(annotation)}, but its body answers {_written(expected)}",
        f"Write -> {_written(expected)}, or read what the signature promises.",
    )


def _answer_of(intent: Intent) -> Any:
    match intent:
        case Get():
            return _or_none(intent.view or intent.entity)
        case Query():
            return Page[intent.view or intent.entity]  # type: ignore[misc]  # a class known only at run time
        case Collection():
            return _or_none(intent.shape)
        case Within() | Ancestors():
            return list[intent.entity]  # type: ignore[name-defined]  # a class known only at run time
        case Write(kind="delete"):
            return _or_none(intent.entity)
        case Write():
            return intent.entity


def _or_none(cls: Any) -> Any:
    return cls | None


def _same_type(first: Any, second: Any) -> bool:
    if get_origin(first) in (Union, types.UnionType) and get_origin(second) in (Union, types.UnionType):
        return set(get_args(first)) == set(get_args(second))
    return bool(first == second)


def _written(annotation: Any) -> str:
    if get_origin(annotation) in (Union, types.UnionType):
        return " | ".join("None" if member is type(None) else name_of(member) for member in get_args(annotation))
    return "None" if annotation is type(None) else name_of(annotation)
