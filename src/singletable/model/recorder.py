"""Records what a lambda says of an entity's fields: `lambda o: (o.status == "OPEN") & (o.total > 5)`."""

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
from singletable.model import source
from singletable.model.entity import declaration_of
from singletable.model.fields import Field, fields_of
from singletable.model.plain_types import PLAIN, is_value_of
from singletable.values.limits import IN_OPERANDS_MAX

E = TypeVar("E")
V = TypeVar("V")

_COMPARE = "Compare it: o.total > 5."


class Argument:  # noqa: PLW1641  # it has a hash, which refuses like everything else that needs a value
    """Stands for a parameter while a pattern's body is evaluated; it can be passed on, and nothing else."""

    def __init__(self, name: str) -> None:
        self.argument_name = name

    def _refuse(self, *_: object) -> NoReturn:
        raise DesignError(
            Problem(
                f"the parameter {self.argument_name!r} has no value in the body of a pattern, which is evaluated once, "
                "when the class is made",
                None,
                "Pass it on as it is: to limit=, to .set(...), or to one side of a comparison in filter= or where=.",
            )
        )

    __bool__ = __len__ = __iter__ = __int__ = __float__ = __index__ = __hash__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __invert__ = _refuse
    __getattr__ = __getitem__ = __call__ = __str__ = __format__ = __contains__ = _refuse

    def _beside(self, other: object) -> Any:
        """Nothing beside a recorded field, which then records the comparison itself; refused beside a value."""
        return NotImplemented if isinstance(other, FieldRecord) else self._refuse()

    def __eq__(self, other: object) -> Any:
        return self is other or self._beside(other)

    def __ne__(self, other: object) -> Any:
        return self is not other and self._beside(other)

    __lt__ = __le__ = __gt__ = __ge__ = _beside

    def __repr__(self) -> str:
        return f"<parameter {self.argument_name}>"


class ConditionRecord:
    """A recorded condition; `&`, `|` and `~` combine it."""

    def __init__(self, node: Condition) -> None:
        self.node = node

    def __and__(self, other: object) -> ConditionRecord:
        return ConditionRecord(And((*_parts(And, self.node), *_parts(And, _condition(other)))))

    def __or__(self, other: object) -> ConditionRecord:
        return ConditionRecord(Or((*_parts(Or, self.node), *_parts(Or, _condition(other)))))

    def __invert__(self) -> ConditionRecord:
        return ConditionRecord(Not(self.node))

    def __bool__(self) -> NoReturn:
        raise wrong_spelling(
            "a condition on fields is recorded and has no truth of its own: `and`, `or`, `not`, chained comparisons "
            "and `in` cannot be recorded",
            "Write & for and, | for or, each side in parentheses, not_(...) for not, and one_of(o.status, ...) for in.",
        )


def _parts(kind: type[And] | type[Or], node: Condition) -> tuple[Condition, ...]:
    return node.parts if isinstance(node, kind) else (node,)


def _condition(value: object) -> Condition:
    if isinstance(value, ConditionRecord):
        return value.node
    if isinstance(value, FieldRecord) and value.recorded_field is not None and value.recorded_field.type is bool:
        return Compare("=", value.recorded_path, Constant(True))
    raise wrong_spelling(
        f"{value.recorded_path if isinstance(value, FieldRecord) else repr(value)} is not a condition on fields",
        "Compare fields of the entity: lambda o: o.status == 'OPEN'.",
    )


class FieldRecord:
    """A recorded field, or a place inside one."""

    def __init__(self, path: Path, inner: Mapping[str, Field] | None, known: Field | None = None) -> None:
        self._path = path
        self._inner = inner
        self._known = known

    def __getattr__(self, name: str) -> FieldRecord:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._inner is not None and name not in self._inner:
            where = str(self._path) if self._path.steps else "the entity"
            raise wrong_spelling(f"{where} has no field {name!r}", f"It has {', '.join(self._inner)}.")
        known = self._inner[name] if self._inner is not None else None
        return FieldRecord(Path((*self._path.steps, name)), _inner_fields(known.type if known else None), known)

    def __getitem__(self, step: str | int) -> FieldRecord:
        if not isinstance(step, str) and (type(step) is not int or step < 0):
            raise wrong_spelling(
                f"{self._path}[{step!r}] is no place in a list or map", "A list is counted from 0; a map has names."
            )
        return FieldRecord(Path((*self._path.steps, step)), None)

    def _compare(self, comparator: Comparator, other: object) -> ConditionRecord:
        right = operand(other)
        _refuse_none(self._path, right)
        if self._known is not None:
            check_constant(self._known, right)
        return ConditionRecord(Compare(comparator, self._path, right))

    def __eq__(self, other: object) -> ConditionRecord:  # type: ignore[override]  # recorded, not answered
        return self._compare("=", other)

    def __ne__(self, other: object) -> ConditionRecord:  # type: ignore[override]  # recorded, not answered
        return self._compare("<>", other)

    def __lt__(self, other: object) -> ConditionRecord:
        return self._compare("<", other)

    def __le__(self, other: object) -> ConditionRecord:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> ConditionRecord:
        return self._compare(">", other)

    def __ge__(self, other: object) -> ConditionRecord:
        return self._compare(">=", other)

    __hash__ = None  # type: ignore[assignment]  # a recorded field equals nothing, so it can be in no set

    def __bool__(self) -> NoReturn:
        raise wrong_spelling(
            f"the field {self._path} alone is no condition",
            f"Compare it, as in o.{self._path} == True, or ask exists(o.{self._path}).",
        )

    def _refuse_elements(self, *_: object) -> NoReturn:
        raise wrong_spelling(
            f"the elements of {self._path} are in the table, and not here to go through",
            f"Ask contains(o.{self._path}, ...) for `in`.",
        )

    __iter__ = __contains__ = _refuse_elements

    def __repr__(self) -> str:
        return f"<field {self._path}>" if self._path.steps else "<the entity>"

    @property
    def recorded_path(self) -> Path:
        """The path that was walked."""
        return self._path

    @property
    def recorded_field(self) -> Field | None:
        """The field at the path's end, where its class is known."""
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
    """A field, a parameter or a plain value as a leaf of the tree."""
    if isinstance(value, FieldRecord):
        return value.recorded_path
    return Parameter(value.argument_name) if isinstance(value, Argument) else Constant(value)


def record_condition(entity: type, function: Callable[[Any], Any]) -> Condition:
    """What a lambda says of the fields of an entity."""
    return _condition(function(_root(entity)))


def record_path(entity: type, function: Callable[[Any], Any]) -> Path:
    """The field that a lambda picks."""
    return picked_field(entity, function).recorded_path


def picked_field(entity: type, function: Callable[[Any], Any]) -> FieldRecord:
    """The recorded field that a lambda picks."""
    result = function(_root(entity))
    if isinstance(result, FieldRecord) and result.recorded_path.steps:
        return result
    raise wrong_spelling(f"{result!r} is not a field of {entity.__name__}", "Pick one: lambda o: o.status.")


def _root(entity: type) -> FieldRecord:
    declaration = declaration_of(entity)
    if declaration is None:
        raise wrong_spelling(f"{entity!r} is not an entity", "Decorate the class with @entity.")
    return FieldRecord(Path(()), declaration.fields)


def wrong_spelling(message: str, remedy: str) -> DesignError:
    """The refusal of what was written, at the user's own line."""
    return DesignError(Problem(message, source.user_code(), remedy))


def exists(value: object) -> bool:
    """In a recorded condition: the attribute is there, and not None."""
    path, known = _path(value), _field(value)
    there: Condition = Function("attribute_exists", (path,))
    if known is not None and known.may_be_none and not known.is_none_unless_stored:
        there = And((there, Not(Function("attribute_type", (path, Constant("NULL"))))))
    return cast(bool, ConditionRecord(there))


def not_(condition: bool) -> bool:
    """In a recorded condition: the opposite. `~` is recorded too, but Python types it as a number."""
    return cast(bool, ConditionRecord(Not(_condition(condition))))


def present(value: V | None) -> V:
    """In a recorded condition: an optional field, to compare by order; the comparison is false when it is missing."""
    return cast(V, value)


def begins_with(value: AnyStr | None, prefix: AnyStr) -> bool:
    """In a recorded condition: the text or bytes begin with a prefix."""
    path, known, start = _path(value), _field(value), operand(prefix)
    if known is not None and known.type in PLAIN:
        if known.type not in (str, bytes):
            raise wrong_spelling(f"{path} is {known.type_name}, and only text and bytes begin with something", _COMPARE)
        check_constant(known, start)
    return cast(bool, ConditionRecord(Function("begins_with", (path, start))))


@overload
def contains(value: str | None, part: str) -> bool: ...
@overload
def contains(value: list[V] | set[V] | frozenset[V] | tuple[V, ...] | None, part: V) -> bool: ...
def contains(value: object, part: object) -> bool:
    """In a recorded condition: the text, set or list holds a part."""
    path, known = _path(value), _field(value)
    if known is not None and known.type in PLAIN and known.type not in (str, bytes):
        raise wrong_spelling(f"{path} is {known.type_name}, and only text, sets and lists contain something", _COMPARE)
    return cast(bool, ConditionRecord(Function("contains", (path, operand(part)))))


def one_of(value: V, *options: V) -> bool:
    """In a recorded condition: the value is one of these."""
    path, known, choices = _path(value), _field(value), tuple(operand(option) for option in options)
    if not choices:
        raise wrong_spelling(f"{path} is one of nothing", "Name the values: one_of(o.status, 'OPEN', 'PAID').")
    if len(choices) > IN_OPERANDS_MAX:
        message = f"{path} is one of {len(choices)} values, and DynamoDB takes at most {IN_OPERANDS_MAX}"
        raise wrong_spelling(message, "Ask in several patterns, or store what the values have in common.")
    for choice in choices:
        _refuse_none(path, choice)
        if known is not None:
            check_constant(known, choice)
    return cast(bool, ConditionRecord(In(path, choices)))


def _field(value: object) -> Field | None:
    return value.recorded_field if isinstance(value, FieldRecord) else None


def _path(value: object) -> Path:
    if isinstance(value, FieldRecord):
        return value.recorded_path
    raise wrong_spelling(f"{value!r} is not a field", "These functions are for the lambdas of filter= and where=.")


def check_constant(known: Field, value: Operand, *, any_number: bool = True) -> None:
    """Refuse a constant that can never be a value of the field; anything but plain types is left to the caller.

    `any_number` may be compared with a whole number, and not be stored as one.
    """
    if isinstance(value, Constant) and get_origin(known.type) is Literal:
        if value.value not in get_args(known.type):
            options = ", ".join(map(repr, get_args(known.type)))
            raise wrong_spelling(f"{known.name} is never {value.value!r}", f"It is one of {options}.")
        return
    if not isinstance(value, Constant) or (known.type not in PLAIN and value.value is not None):
        return
    if value.value is None or not is_value_of(known.type, value.value, any_number=any_number):
        raise wrong_spelling(
            f"{known.name} is {known.type_name}, and {value.value!r} is not", "Give it a value of the field's type."
        )


def _refuse_none(path: Path, value: Operand) -> None:
    if isinstance(value, Constant) and value.value is None:
        message = f"{path} is never None in the table, where a field without a value is not stored"
        raise wrong_spelling(message, f"Ask not_(exists(o.{path})) for None, and exists(o.{path}) for anything else.")
