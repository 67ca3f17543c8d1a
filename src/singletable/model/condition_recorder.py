"""Conditions on fields, recorded from lambdas: `lambda o: (o.status == "OPEN") & (o.total > 5)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, AnyStr, Literal, NoReturn, TypeVar, cast, get_args, get_origin, overload

from singletable.errors import DesignError, Problem
from singletable.expressions.tree import (
    And,
    Comparator,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Operand,
    Or,
    Parameter,
    Path,
)
from singletable.model import source_location
from singletable.model.entity import declaration_of
from singletable.model.fields import SCALAR_TYPES, Field, fields_of, is_value_of
from singletable.values.limits import IN_OPERANDS_MAX

E = TypeVar("E")
V = TypeVar("V")

_COMPARE = "Compare the field: o.total > 5."


class ParameterPlaceholder:  # noqa: PLW1641  # __hash__ is defined, and raises
    """A placeholder for a parameter while the body of a pattern is evaluated. Using its value raises DesignError."""

    def __init__(self, name: str) -> None:
        self.argument_name = name

    def _no_value(self, *_: object) -> NoReturn:
        raise DesignError(
            Problem(
                f"the parameter {self.argument_name!r} has no value in the body of a pattern, because the body is "
                "evaluated only once, when the class is defined",
                None,
                "Pass it unchanged: to limit=, to .set(...), or as one side of a comparison in filter= or where=.",
            )
        )

    __bool__ = __len__ = __iter__ = __int__ = __float__ = __index__ = __hash__ = _no_value
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_value
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = _no_value
    __and__ = __rand__ = __or__ = __ror__ = __invert__ = _no_value
    __getattr__ = __getitem__ = __call__ = __str__ = __format__ = __contains__ = _no_value

    def _compare_with(self, other: object) -> Any:
        """Return NotImplemented for a recorded field; raise DesignError for any other operand.

        After NotImplemented, Python calls the comparison method of the field, which records the comparison.
        """
        return NotImplemented if isinstance(other, FieldRecord) else self._no_value()

    def __eq__(self, other: object) -> Any:
        return self is other or self._compare_with(other)

    def __ne__(self, other: object) -> Any:
        return self is not other and self._compare_with(other)

    __lt__ = __le__ = __gt__ = __ge__ = _compare_with

    def __repr__(self) -> str:
        return f"<parameter {self.argument_name}>"


class ConditionRecord:
    """A recorded condition; combine conditions with `&`, `|` and `~`."""

    def __init__(self, node: Condition) -> None:
        self.node = node

    def __and__(self, other: object) -> ConditionRecord:
        return ConditionRecord(And((*_parts(And, self.node), *_parts(And, _condition(other)))))

    def __or__(self, other: object) -> ConditionRecord:
        return ConditionRecord(Or((*_parts(Or, self.node), *_parts(Or, _condition(other)))))

    def __invert__(self) -> ConditionRecord:
        return ConditionRecord(Not(self.node))

    def __bool__(self) -> NoReturn:
        raise invalid_expression(
            "a condition on fields cannot be used as a bool: `and`, `or`, `not`, chained comparisons "
            "and `in` are not supported",
            "Use & and | with parentheses around each side, not_(...), and one_of(o.status, ...) instead of in.",
        )


def _parts(kind: type[And] | type[Or], node: Condition) -> tuple[Condition, ...]:
    return node.parts if isinstance(node, kind) else (node,)


def _condition(value: object) -> Condition:
    if isinstance(value, ConditionRecord):
        return value.node
    if isinstance(value, FieldRecord) and value.recorded_field is not None and value.recorded_field.type is bool:
        return Compare("=", value.recorded_path, Constant(True))
    raise invalid_expression(
        f"{value.recorded_path if isinstance(value, FieldRecord) else repr(value)} is not a condition on fields",
        "Compare fields of the entity: lambda o: o.status == 'OPEN'.",
    )


class FieldRecord:
    """A recorded field, or a path inside a field."""

    def __init__(self, path: Path, inner: Mapping[str, Field] | None, known: Field | None = None) -> None:
        self._path = path
        self._inner = inner
        self._known = known

    def __getattr__(self, name: str) -> FieldRecord:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._inner is not None and name not in self._inner:
            where = str(self._path) if self._path.steps else "the entity"
            raise invalid_expression(f"{where} has no field {name!r}", f"It has {', '.join(self._inner)}.")
        known = self._inner[name] if self._inner is not None else None
        return FieldRecord(Path((*self._path.steps, name)), _inner_fields(known.type if known else None), known)

    def __getitem__(self, step: str | int) -> FieldRecord:
        if not isinstance(step, str) and (type(step) is not int or step < 0):
            raise invalid_expression(
                f"{self._path}[{step!r}] is not a valid index or key",
                "Use an int, 0 or greater, for a list, or a str for a map.",
            )
        return FieldRecord(Path((*self._path.steps, step)), None)

    def _compare(self, comparator: Comparator, other: object) -> ConditionRecord:
        right = operand(other)
        _check_not_none(self._path, right)
        if self._known is not None:
            check_constant(self._known, right)
        return ConditionRecord(Compare(comparator, self._path, right))

    def __eq__(self, other: object) -> ConditionRecord:  # type: ignore[override]  # records the comparison
        return self._compare("=", other)

    def __ne__(self, other: object) -> ConditionRecord:  # type: ignore[override]  # records the comparison
        return self._compare("<>", other)

    def __lt__(self, other: object) -> ConditionRecord:
        return self._compare("<", other)

    def __le__(self, other: object) -> ConditionRecord:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> ConditionRecord:
        return self._compare(">", other)

    def __ge__(self, other: object) -> ConditionRecord:
        return self._compare(">=", other)

    __hash__ = None  # type: ignore[assignment]  # == records a condition, so a field cannot be hashed

    def __bool__(self) -> NoReturn:
        raise invalid_expression(
            f"the field {self._path} alone is not a condition",
            f"Compare it, as in o.{self._path} == True, or use exists(o.{self._path}).",
        )

    def _not_iterable(self, *_: object) -> NoReturn:
        raise invalid_expression(
            f"{self._path} cannot be iterated, because its value is not known when the lambda runs",
            f"Use contains(o.{self._path}, ...) instead of in.",
        )

    __iter__ = __contains__ = _not_iterable

    def __repr__(self) -> str:
        return f"<field {self._path}>" if self._path.steps else "<the entity>"

    @property
    def recorded_path(self) -> Path:
        """The path from the entity to this value."""
        return self._path

    @property
    def recorded_field(self) -> Field | None:
        """The field at the end of the path, if its class is known."""
        return self._known

    def __and__(self, other: object) -> ConditionRecord:
        return ConditionRecord(_condition(self)) & other

    def __or__(self, other: object) -> ConditionRecord:
        return ConditionRecord(_condition(self)) | other

    def __invert__(self) -> ConditionRecord:
        return ConditionRecord(Not(_condition(self)))


def _inner_fields(annotation: Any) -> Mapping[str, Field] | None:
    try:
        return fields_of(annotation) if isinstance(annotation, type) else None
    except TypeError:
        return None


def operand(value: object) -> Operand:
    """Return a field, a parameter or a value as an operand of the expression tree."""
    if isinstance(value, FieldRecord):
        return value.recorded_path
    return Parameter(value.argument_name) if isinstance(value, ParameterPlaceholder) else Constant(value)


def record_condition(entity: type, function: Callable[[Any], Any]) -> Condition:
    """Return the condition that a lambda describes."""
    return _condition(function(_root(entity)))


def record_path(entity: type, function: Callable[[Any], Any]) -> Path:
    """Return the path of the field that a lambda selects."""
    return picked_field(entity, function).recorded_path


def picked_field(entity: type, function: Callable[[Any], Any]) -> FieldRecord:
    """Return the field that a lambda selects."""
    result = function(_root(entity))
    if isinstance(result, FieldRecord) and result.recorded_path.steps:
        return result
    raise invalid_expression(f"{result!r} is not a field of {entity.__name__}", "Select a field: lambda o: o.status.")


def _root(entity: type) -> FieldRecord:
    declaration = declaration_of(entity)
    if declaration is None:
        raise invalid_expression(f"{entity!r} is not an entity", "Decorate the class with @entity.")
    return FieldRecord(Path(()), declaration.fields)


def invalid_expression(message: str, remedy: str) -> DesignError:
    """Return a DesignError that points at the user's code."""
    return DesignError(Problem(message, source_location.user_code(), remedy))


def exists(value: object) -> bool:
    """Return the condition that the field has a value other than None, for `filter=` or `where=`."""
    path, known = _path(value), _field(value)
    there: Condition = Function("attribute_exists", (path,))
    if known is not None and known.may_be_none and not known.is_none_unless_stored:
        there = And((there, Not(Function("attribute_type", (path, Constant("NULL"))))))
    return cast(bool, ConditionRecord(there))


def not_(condition: bool) -> bool:
    """Return the negation of a condition. `~condition` works too, but type checkers reject `~` on a bool."""
    return cast(bool, ConditionRecord(Not(_condition(condition))))


def present(value: V | None) -> V:
    """Return an optional field with a type that excludes None, so that type checkers accept `present(o.due) < today`.

    A comparison with the result is false if the field is missing.
    """
    return cast(V, value)


def begins_with(value: AnyStr | None, prefix: AnyStr) -> bool:
    """Return the condition that a text or bytes field starts with a prefix, for `filter=` or `where=`."""
    path, known, start = _path(value), _field(value), operand(prefix)
    if known is not None and known.type in SCALAR_TYPES:
        if known.type not in (str, bytes):
            raise invalid_expression(f"{path} is {known.type_name}, but begins_with(...) needs text or bytes", _COMPARE)
        check_constant(known, start)
    return cast(bool, ConditionRecord(Function("begins_with", (path, start))))


@overload
def contains(value: str | None, part: str) -> bool: ...
@overload
def contains(value: list[V] | set[V] | frozenset[V] | tuple[V, ...] | None, part: V) -> bool: ...
def contains(value: object, part: object) -> bool:
    """Return the condition that a text, a set or a list contains `part`, for `filter=` or `where=`."""
    path, known = _path(value), _field(value)
    if known is not None and known.type in SCALAR_TYPES and known.type not in (str, bytes):
        raise invalid_expression(
            f"{path} is {known.type_name}, but contains(...) needs text, a set or a list", _COMPARE
        )
    return cast(bool, ConditionRecord(Function("contains", (path, operand(part)))))


def one_of(value: V, *options: V) -> bool:
    """Return the condition that the value equals one of at most 100 options, for `filter=` or `where=`."""
    path, known, choices = _path(value), _field(value), tuple(operand(option) for option in options)
    if not choices:
        raise invalid_expression(
            f"one_of() needs at least one value for {path}", "Pass the values: one_of(o.status, 'OPEN', 'PAID')."
        )
    if len(choices) > IN_OPERANDS_MAX:
        message = f"one_of() has {len(choices)} values for {path}, but DynamoDB allows at most {IN_OPERANDS_MAX}"
        raise invalid_expression(message, "Declare several patterns, or add a field that groups these values.")
    for choice in choices:
        _check_not_none(path, choice)
        if known is not None:
            check_constant(known, choice)
    return cast(bool, ConditionRecord(In(path, choices)))


def _field(value: object) -> Field | None:
    return value.recorded_field if isinstance(value, FieldRecord) else None


def _path(value: object) -> Path:
    if isinstance(value, FieldRecord):
        return value.recorded_path
    raise invalid_expression(f"{value!r} is not a field", "Use these functions in the lambdas of filter= and where=.")


def check_constant(known: Field, value: Operand, *, any_number: bool = True) -> None:
    """Raise DesignError if a constant can never be a value of the field. Only scalar and Literal types are checked.

    With `any_number`, every number is accepted for an int field, because `o.count > 1.5` is a valid comparison.
    """
    if isinstance(value, Constant) and get_origin(known.type) is Literal:
        if value.value not in get_args(known.type):
            options = ", ".join(map(repr, get_args(known.type)))
            raise invalid_expression(f"{known.name} can never be {value.value!r}", f"Its values are {options}.")
        return
    if not isinstance(value, Constant) or (known.type not in SCALAR_TYPES and value.value is not None):
        return
    if value.value is None or not is_value_of(known.type, value.value, any_number=any_number):
        raise invalid_expression(
            f"{known.name} is {known.type_name}, but the value is {value.value!r}",
            "Pass a value of the field's type.",
        )


def _check_not_none(path: Path, value: Operand) -> None:
    if isinstance(value, Constant) and value.value is None:
        message = f"{path} cannot be compared with None, because None is not stored"
        raise invalid_expression(
            message, f"Use not_(exists(o.{path})) for None, and exists(o.{path}) for any other value."
        )
