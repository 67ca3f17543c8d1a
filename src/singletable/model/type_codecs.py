"""Type codecs: how values of a type are stored as values of a supported type, and how they are read back."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable
from datetime import time, timedelta
from decimal import Decimal, localcontext
from typing import Any, Generic, TypeVar

from singletable.errors import DesignError, Problem
from singletable.lazy_dataclass import dataclass
from singletable.model import source_location
from singletable.model.fields import SCALAR_TYPES, is_value_of, name_of, strip

T = TypeVar("T")
S = TypeVar("S")


class NotReadBack(ValueError):  # internal: callers turn it into ArgumentRefused or KeyRefused
    """A codec does not read back the value that it would store."""


@dataclass(frozen=True)
class TypeCodec(Generic[T, S]):
    """How to store values of a type: `to` returns the stored value, and `of` returns the value again."""

    type: type[T]
    stored: Any
    """The type of the stored values."""
    to: Callable[[T], S]
    of: Callable[[S], T]

    def stored_form(self, value: T) -> S:
        """Return the value to store; raise NotReadBack unless `of` turns it into an equal value again."""
        label = f"the codec of {name_of(self.type)}"
        try:
            stored = self.to(value)
            if self.stored in SCALAR_TYPES and not self._is_stored_type(stored):
                raise NotReadBack(f"{label} stores {name_of(self.stored)}, but to({value!r}) is {stored!r}")
            again = self.of(stored)
        except NotReadBack:
            raise
        except Exception as problem:  # a codec is code of the user
            raise NotReadBack(f"{label} cannot store {value!r}: {type(problem).__name__}: {problem}") from problem
        if not isinstance(again, self.type) or again != value:
            raise NotReadBack(f"{label} does not read back {value!r}: to() returns {stored!r}, and of() {again!r}")
        return stored

    def _is_stored_type(self, stored: Any) -> bool:
        return isinstance(stored, self.stored) and is_value_of(self.stored, stored)


class TypeCodecs:
    """The codecs of the types of one entity: those that the entity declares, then the built-in ones."""

    def __init__(self, declared: Iterable[TypeCodec[Any, Any]] = ()) -> None:
        self.declared = tuple(declared)
        self._by_type = {each.type: each for each in self.declared}
        self._by_class: dict[type, TypeCodec[Any, Any] | None] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeCodecs) and self.declared == other.declared

    def __hash__(self) -> int:
        return hash(self.declared)

    def of_type(self, declared: Any) -> TypeCodec[Any, Any] | None:
        """Return the codec of a declared type, or None if the type has no codec."""
        if not isinstance(declared, type):
            return None
        return self._by_type.get(declared) or built_in_codec(declared)

    def of_value(self, value: Any) -> TypeCodec[Any, Any] | None:
        """Return the codec of a value: that of its class, or of the nearest base class that has one."""
        cls = type(value)
        if cls not in self._by_class:
            found = (self.of_type(base) for base in cls.__mro__)
            self._by_class[cls] = None if cls in SCALAR_TYPES else next((each for each in found if each), None)
        return self._by_class[cls]


def codec(
    type_: type[T], /, *, to: Callable[[T], S], of: Callable[[S], T], stored: type[S] | None = None
) -> TypeCodec[T, S]:
    """Declare how a type is stored, for `codecs=` of an entity: `codec(HttpUrl, to=str, of=HttpUrl)`.

    - `to` returns a value of a supported type, such as `str`, `int`, `Decimal`, `datetime` or `dict[str, int]`. In a
      key, the type of this value decides the format and the order.
    - `of` returns the original value. A write raises InvalidValue unless `of(to(value)) == value`.
    - `stored` is the type that `to` returns. It is needed only if `to` is neither a class nor an annotated function.
    """
    given: Any = type_
    kind = _stored_type(to) if stored is None else strip(stored)[0]
    for is_wrong, message, remedy in (
        (not isinstance(given, type), "is not a class", "Pass the class of the values, such as HttpUrl."),
        (given in SCALAR_TYPES, "the type is supported without a codec", "Declare a codec of another class."),
        (
            kind is None,
            "the type that `to` returns is unknown",
            "Pass stored=str, or annotate the function.",
        ),
        (kind is given, "`to` must return a value of another type", "Return a supported type, such as str."),
    ):
        if is_wrong:
            problem = Problem(f"codec({name_of(given)}): {message}", source_location.user_code(), remedy)
            raise DesignError(problem)
    return TypeCodec(type_, kind, to, of)


def _stored_type(to: Callable[..., Any]) -> Any:
    """Return the type that a function returns, if it is a class or has an annotation; otherwise None."""
    if isinstance(to, type):
        return to
    function = inspect.unwrap(to)
    try:
        found = typing.get_type_hints(function).get("return")
    except (NameError, TypeError):  # an annotation that only type checkers know, or an object without annotations
        return None
    return None if found is None else strip(found)[0]


def type_codecs(declared: Iterable[TypeCodec[Any, Any]]) -> TypeCodecs:
    """Return the codecs of an entity; raise ValueError for a value that is not a codec, or for two codecs of a type."""
    given: tuple[Any, ...] = tuple(declared)
    if others := [each for each in given if not isinstance(each, TypeCodec)]:
        raise ValueError(
            f"codecs contains {others[0]!r}, which is not a type codec; use codec(HttpUrl, to=str, of=HttpUrl)"
        )
    types = [each.type for each in given]
    if twice := next((each for each in types if types.count(each) > 1), None):
        raise ValueError(f"codecs contains two codecs of {name_of(twice)}; remove one")
    codecs = TypeCodecs(given)
    for each in given:
        seen, stored = [each.type], each.stored
        while (inner := codecs.of_type(stored)) is not None:
            if stored in seen:
                raise ValueError(f"the codecs of {' and '.join(map(name_of, seen))} store each other's types")
            seen.append(stored)
            stored = inner.stored
    return codecs if given else BUILT_IN


# Classes are recognised by name, so that `import singletable` imports neither these modules nor pydantic.
_TEXT_CLASSES = {
    "ipaddress": ("IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network", "IPv4Interface", "IPv6Interface"),
    "pathlib": ("Path", "PurePath", "PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath"),
    "zoneinfo": ("ZoneInfo",),
}
_URLS = frozenset(("_BaseUrl", "_BaseMultiHostUrl"))
"""The base classes of all URLs and DSNs of pydantic, from version 2.10 on."""
_built_in: dict[type, TypeCodec[Any, Any] | None] = {}


def built_in_codec(cls: type) -> TypeCodec[Any, Any] | None:
    """Return the built-in codec of a class, or None if it has none."""
    if cls not in _built_in:
        _built_in[cls] = _make_built_in(cls)
    return _built_in[cls]


def _make_built_in(cls: Any) -> TypeCodec[Any, Any] | None:
    package, name = cls.__module__.partition(".")[0], cls.__name__
    if cls is timedelta:
        return TypeCodec(timedelta, Decimal, _seconds, _duration)
    if cls is time:
        return TypeCodec(time, str, _time_text, time.fromisoformat)
    if name in _TEXT_CLASSES.get(package, ()):
        return TypeCodec(cls, str, str, cls)
    if package != "pydantic":
        return None
    if any(base.__module__ == "pydantic.networks" and base.__name__ in _URLS for base in cls.__mro__[1:]):
        return TypeCodec(cls, str, str, cls)
    return TypeCodec(cls, int, int, cls) if name == "ByteSize" else None


def _seconds(value: timedelta) -> Decimal:
    return Decimal(f"{value // timedelta(microseconds=1)}E-6")


def _duration(seconds: Decimal) -> timedelta:
    with localcontext() as context:
        context.prec = 40
        return timedelta(microseconds=int(seconds * 1_000_000))


def _time_text(value: time) -> str:
    if value.tzinfo is not None:
        raise NotReadBack(
            f"{value!r} has a time zone, and times of day in different zones have no order; "
            "use a time without a zone, and store the zone in a field of its own, or use a datetime"
        )
    return value.isoformat("microseconds")


BUILT_IN = TypeCodecs()
"""The built-in codecs alone."""
