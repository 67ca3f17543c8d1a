"""Dataclasses whose methods are generated on first use, so that importing the package is fast.

`dataclasses.dataclass` compiles six methods of a frozen class while its module is imported, which takes about 0.3 ms.
The decorator of this module has the same result, but compiles only `__init__`, when the class is called for the first
time. The other methods are closures. For options and fields that this module does not handle, it calls
`dataclasses.dataclass`.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

_FIELDS = "__dataclass_fields__"
_DECLARED = "__declared_fields__"


class _Declared:
    """A field as its class declares it."""

    __slots__ = ("annotation", "default", "settings")

    def __init__(self, annotation: Any, default: Any, settings: dataclasses.Field[Any] | None) -> None:
        self.annotation = annotation
        self.default = default
        self.settings = settings

    @property
    def in_init(self) -> bool:
        """Whether `__init__` has a parameter for the field."""
        return self.settings is None or self.settings.init

    @property
    def is_keyword(self) -> bool:
        """Whether the parameter is keyword-only."""
        return self.settings is not None and self.settings.kw_only is True

    @property
    def factory(self) -> Callable[[], Any] | None:
        """The function that returns the default; None if the field has none."""
        found = self.settings.default_factory if self.settings else dataclasses.MISSING
        return None if found is dataclasses.MISSING else found

    def has_part_in(self, method: str) -> bool:
        """Return whether a method ("repr", "compare" or "hash") uses the field."""
        if self.settings is None:
            return True
        chosen: bool | None = getattr(self.settings, method)
        return self.settings.compare if chosen is None else chosen


_Fields = dict[str, _Declared]


class _OnFirstUse:
    """An attribute of a class that is computed when it is read for the first time."""

    __slots__ = ("_compute", "_name", "_owner")

    def __init__(self, owner: type, name: str, compute: Callable[[type], Any]) -> None:
        self._owner = owner
        self._name = name
        self._compute = compute

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        value = self._compute(self._owner)
        setattr(self._owner, self._name, value)
        return value if instance is None or not callable(value) else value.__get__(instance, owner)


def _declare(cls: type, *, frozen: bool, eq: bool, slots: bool) -> type:
    """Add the methods of a dataclass to a class. With `slots`, return a copy of the class that has slots."""
    own = _own_fields(cls) if _has_known_bases(cls, frozen=frozen) else None
    if own is None:
        return dataclasses.dataclass(frozen=frozen, eq=eq, slots=slots)(cls)
    if slots:
        cls = _with_slots(cls, own)
    fields = dict(_inherited_fields(cls)) | own
    setattr(cls, _DECLARED, own)
    setattr(cls, _FIELDS, _OnFirstUse(cls, _FIELDS, lambda each: getattr(_twin(each, frozen=frozen, eq=eq), _FIELDS)))
    params = "__dataclass_params__"
    setattr(cls, params, _OnFirstUse(cls, params, lambda each: getattr(_twin(each, frozen=frozen, eq=eq), params)))
    defined = cls.__dict__
    if "__init__" not in defined:
        cls.__init__ = _OnFirstUse(cls, "__init__", _compiled_init)  # type: ignore[misc]  # a function after the first call
    if "__match_args__" not in defined:
        cls.__match_args__ = tuple(name for name, field in fields.items() if field.in_init and not field.is_keyword)  # type: ignore[attr-defined, misc]  # every class may have it
    if "__repr__" not in defined:
        cls.__repr__ = _representation(fields)  # type: ignore[method-assign, assignment]  # as dataclasses does
    if eq:
        _add_comparison(cls, fields, frozen=frozen)
    if frozen:
        cls.__setattr__ = _reject_assignment  # type: ignore[method-assign, assignment]  # as dataclasses does
        cls.__delattr__ = _reject_deletion  # type: ignore[method-assign, assignment]  # as dataclasses does
    return cls


def _own_fields(cls: type) -> _Fields | None:
    """Return the fields that the class itself declares, or None if `dataclasses.dataclass` has to handle them."""
    own: _Fields = {}
    for name, annotation in cls.__annotations__.items():
        text = annotation if isinstance(annotation, str) else repr(annotation)
        if "ClassVar" in text:
            continue
        default = cls.__dict__.get(name, dataclasses.MISSING)
        settings = default if isinstance(default, dataclasses.Field) else None
        if "InitVar" in text or "KW_ONLY" in text:
            return None
        if type(default).__hash__ is None:
            raise ValueError(f"mutable default {type(default)} for field {name} is not allowed: use default_factory")
        own[name] = _Declared(annotation, settings.default if settings else default, settings)
    for name, field in own.items():
        if field.settings and field.default is dataclasses.MISSING:
            delattr(cls, name)
        elif field.settings:
            setattr(cls, name, field.default)
    return own


def _with_slots(cls: type, own: _Fields) -> type:
    members = {name: value for name, value in cls.__dict__.items() if name not in own}
    for name in ("__dict__", "__weakref__"):
        members.pop(name, None)
    inherited = dict(_inherited_fields(cls))
    members["__slots__"] = tuple(name for name in own if name not in inherited)
    members |= {"__getstate__": _state, "__setstate__": _set_state}  # the default would assign to a frozen instance
    made = type(cls)(cls.__name__, cls.__bases__, members)
    made.__qualname__ = cls.__qualname__
    return made


def _state(self: object) -> list[Any]:
    return [getattr(self, name) for name in _all_fields(type(self))]


def _set_state(self: object, state: list[Any]) -> None:
    for name, value in zip(_all_fields(type(self)), state, strict=True):
        object.__setattr__(self, name, value)


def _has_known_bases(cls: type, *, frozen: bool) -> bool:
    """Return whether the fields of all bases were declared here, with the same protection from assignment."""
    bases = [base for base in cls.__mro__[1:-1] if _FIELDS in base.__dict__]
    return all(_DECLARED in base.__dict__ and _is_frozen(base) is frozen for base in bases)


def _is_frozen(cls: type) -> bool:
    protection: object = cls.__setattr__
    return protection is _reject_assignment


def _inherited_fields(cls: type) -> Iterator[tuple[str, _Declared]]:
    for base in cls.__mro__[-2:0:-1]:
        yield from base.__dict__.get(_DECLARED, {}).items()


def _all_fields(cls: type) -> _Fields:
    own: _Fields = cls.__dict__[_DECLARED]
    return dict(_inherited_fields(cls)) | own


def _twin(cls: type, *, frozen: bool, eq: bool) -> type:
    """Return a dataclass with the same fields, whose description of the fields `dataclasses.fields` expects."""
    described: list[tuple[str, Any, Any]] = []
    for name, field in _all_fields(cls).items():
        settings: Any = field.settings
        if settings is None:
            settings = dataclasses.field(default=field.default)
        described.append((name, field.annotation, settings))
    documentation = {"__doc__": cls.__doc__ or ""}  # otherwise dataclasses writes one, which takes long
    return dataclasses.make_dataclass(cls.__name__, described, namespace=documentation, frozen=frozen, eq=eq)


def _compiled_init(cls: type) -> Callable[..., None]:
    """Compile `__init__`, with one statement per field."""
    fields = _all_fields(cls)
    given: dict[str, Any] = {"_set": object.__setattr__, "_factory": _FACTORY}
    parameters: list[str] = ["self"]
    keywords: list[str] = []
    statements: list[str] = []
    is_frozen = _is_frozen(cls)
    for name, field in fields.items():
        parameter = value = name
        if field.factory is not None:
            given[f"_make_{name}"] = field.factory
            parameter = f"{name}=_factory"
            value = f"_make_{name}() if {name} is _factory else {name}" if field.in_init else f"_make_{name}()"
        elif field.default is not dataclasses.MISSING:
            given[f"_default_{name}"] = field.default
            parameter, value = f"{name}=_default_{name}", name if field.in_init else f"_default_{name}"
        elif not field.in_init:
            continue
        if field.in_init:
            (keywords if field.is_keyword else parameters).append(parameter)
        statements.append(f"_set(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        statements.append("self.__post_init__()")
    body = "\n  ".join(statements or ["pass"])
    accepted = ", ".join([*parameters, *(["*", *keywords] if keywords else [])])
    source = f"def outer({', '.join(given)}):\n def __init__({accepted}):\n  {body}\n return __init__"
    scope: dict[str, Any] = {}
    exec(source, sys.modules[cls.__module__].__dict__, scope)  # noqa: S102 - the names of fields of our own classes
    init: Callable[..., None] = scope["outer"](**given)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {name: field.annotation for name, field in fields.items() if field.in_init}
    init.__annotations__["return"] = None
    return init


class _Factory:
    """The default of a parameter whose field has a default factory."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _add_comparison(cls: type, fields: _Fields, *, frozen: bool) -> None:
    """Add equality by the fields; a frozen class is hashable, other classes are not."""
    defined = cls.__dict__
    compared = _values_of([name for name, field in fields.items() if field.has_part_in("compare")])
    # Python sets __hash__ to None if a class defines __eq__ without __hash__.
    has_own_hash = "__hash__" in defined and not (defined["__hash__"] is None and "__eq__" in defined)
    if not has_own_hash:
        hashed = _values_of([name for name, field in fields.items() if field.has_part_in("hash")])
        cls.__hash__ = _hash_of(hashed) if frozen else None  # type: ignore[method-assign, assignment]  # as dataclasses does
    if "__eq__" not in defined:
        cls.__eq__ = _equality(compared)  # type: ignore[method-assign, assignment]  # as dataclasses does


def _values_of(names: list[str]) -> Callable[[Any], Any]:
    """Return a function that returns the values of the named fields as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _equality(values: Callable[[Any], Any]) -> Callable[[object, object], Any]:
    def equal(self: object, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return equal


def _hash_of(values: Callable[[Any], Any]) -> Callable[[object], int]:
    def hashed(self: object) -> int:
        return hash(values(self))

    return hashed


def _representation(fields: _Fields) -> Callable[[object], str]:
    names = [name for name, field in fields.items() if field.has_part_in("repr")]

    @recursive_repr()
    def represented(self: object) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return represented


def _reject_assignment(self: object, name: str, value: object) -> None:
    if _is_protected(type(self), name):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _reject_deletion(self: object, name: str) -> None:
    if _is_protected(type(self), name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _is_protected(cls: type, name: str) -> bool:
    """Return whether instances reject a change: every change of a frozen dataclass, and of inherited fields."""
    return _DECLARED in cls.__dict__ or any(name in base.__dict__.get(_DECLARED, ()) for base in cls.__mro__)


if TYPE_CHECKING:  # type checkers see the standard functions
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - exported
    from dataclasses import replace as replace  # noqa: PLC0414 - exported
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False, **others):
        """Make a class a dataclass, like `dataclasses.dataclass`."""
        if others:
            return dataclasses.dataclass(cls, frozen=frozen, eq=eq, slots=slots, **others)
        if cls is None:
            return lambda each: _declare(each, frozen=frozen, eq=eq, slots=slots)
        return _declare(cls, frozen=frozen, eq=eq, slots=slots)

    def replace(instance, /, **changes):
        """Return a copy with other values of some fields, like `dataclasses.replace`."""
        cls = type(instance)
        if _DECLARED not in cls.__dict__:
            return dataclasses.replace(instance, **changes)
        for name, field in _all_fields(cls).items():
            if field.in_init:
                changes.setdefault(name, getattr(instance, name))
        return cls(**changes)
