"""Row columns: the rules for reading each field from a row, and the generated function that creates the objects.

DynamoDB JSON wraps each value in a map of one member, such as `{"N": "5"}`. A value shape contains the name of this
member, the type of its content, and the Python expression that converts the content. The expression is `int(...)` for
an `int`; a string needs no conversion.

Like the constructor of a dataclass, the function is compiled from source code that is generated from the declaration.
This source code never contains data: attribute names are in the row type, and stored values are arguments.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin
from uuid import UUID

import msgspec

from singletable.client.items.object_construction import (
    MADE,
    ConstructorArgument,
    argument_name,
    construction,
    struct_checks,
    unvalidated_model,
)
from singletable.client.items.rows import ABSENT, Column, FastColumn, FastType, row_reader
from singletable.client.items.value_reader import ValueReader, expiry_reader, reader_of
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.fields import Field, strip
from singletable.model.type_codecs import BUILT_IN, TypeCodecs
from singletable.values.fast_path import NotOnFastPath
from singletable.wire.api_types import decoder_of

if TYPE_CHECKING:
    from singletable.client.items._fast_rows import RowReader
    from singletable.client.items.decoder import DecodedClass


def _unchanged(content: str) -> str:
    return content


@dataclass(frozen=True)
class ValueShape:
    """The rules for reading values of one type. If `member` is None, a function reads the whole map."""

    member: str | None
    content: Any
    expression: Callable[[str], str] = _unchanged
    """A function that takes the source code of the content and returns the source code that converts it."""
    names: Mapping[str, Any] = field(default_factory=dict)
    """The objects that the generated source refers to, by name."""
    element: str | None = None
    """For a list, the source code that converts an element named `each`."""
    fast: FastType | None = None
    """The fast path's rule for reading the value; None if the fast path does not support the type."""

    @property
    def type(self) -> Any:
        """The msgspec type of a value."""
        return self.content if self.member is None else _value(self.member, self.content)

    @property
    def type_or_null(self) -> Any:
        """The msgspec type of a value that may be `{"NULL": true}`; its content is then None."""
        return self.content if self.member is None else _value_or_null(self.member, self.content)

    @property
    def type_not_null(self) -> Any:
        """The msgspec type of a nullable value, used when the fast path has found that the value is not NULL."""
        return self.content if self.member is None else _value(self.member, self.content, alone=True)

    def content_of(self, value: str) -> str:
        """Return the source code that reads a value's content."""
        return value if self.member is None else f"{value}.{self.member}"

    def over(self, value: str) -> str:
        """Return the source code that converts a value to the declared type."""
        return self.expression(self.content_of(value))


# Decoded values contain no reference cycles, so the garbage collector can skip them: `gc=False`.
@cache
def _value(member: str, content: Any, *, alone: bool = False) -> Any:
    return msgspec.defstruct(f"Value{member}", [(member, content)], gc=False, forbid_unknown_fields=alone)


@cache
def _value_or_null(member: str, content: Any) -> Any:
    members = [(member, content | None, None), ("NULL", bool | None, None)]
    return msgspec.defstruct(f"Value{member}OrNull", members, gc=False, forbid_unknown_fields=True, omit_defaults=True)


_PLAIN: dict[Any, ValueShape] = {
    str: ValueShape("S", str, fast=FastType("text")),
    bool: ValueShape("BOOL", bool, fast=FastType("bool")),
    int: ValueShape("N", str, lambda content: f"int({content})", fast=FastType("int")),
    float: ValueShape("N", str, lambda content: f"float({content})", fast=FastType("float")),
    # The constructor of Decimal is faster than msgspec.
    Decimal: ValueShape(
        "N", str, lambda content: f"decimal({content})", {"decimal": Decimal}, fast=FastType("decimal")
    ),
    bytes: ValueShape("B", bytes),
    datetime: ValueShape("S", datetime, fast=FastType("moment")),
    date: ValueShape("S", date),
    UUID: ValueShape("S", UUID),
}
_SETS: dict[Any, ValueShape] = {
    str: ValueShape("SS", list[str]),
    int: ValueShape("NS", list[str], lambda content: f"map(int, {content})"),
    Decimal: ValueShape("NS", list[Decimal]),
    bytes: ValueShape("BS", list[bytes]),
}


def shape_of(annotation: Any, name: str, codecs: TypeCodecs = BUILT_IN) -> ValueShape:
    """Return the shape of a type; `name` is the variable through which its source code can refer to an object."""
    declared, optional = strip(annotation)
    if not optional and codecs.of_type(declared) is None:
        if declared in _PLAIN:
            return _PLAIN[declared]
        shape = _choice(declared, name) or _container(get_origin(declared), get_args(declared), name, codecs)
        if shape is not None:
            return shape
    return read_by(reader_of(annotation, codecs), name)


def read_by(reader: ValueReader, name: str) -> ValueShape:
    """Return the shape of values that the function `reader` reads from the whole map."""
    return ValueShape(None, dict[str, Any], lambda value: f"{name}({value})", {name: reader})


def text_type(member: str) -> Any:
    """Return the msgspec type that keeps a value exactly as stored, so that the client can send it again unchanged."""
    return _value(member, str)


@dataclass(frozen=True)
class ConstantColumn(Column):
    """An attribute with the same value in every item; rows with another value are invalid."""

    fast: FastColumn = field(kw_only=True)


def constant_column(attribute: str, member: str, kind: Literal["S", "N"], text: str) -> ConstantColumn:
    """Return the column of an attribute that has the same string or number in every item."""
    fast = FastType("constant", msgspec.json.encode({kind: text}))
    type_ = _value(kind, Literal[text])
    return ConstantColumn(attribute, member, type_, fast=FastColumn(attribute, fast))


def _choice(declared: Any, name: str) -> ValueShape | None:
    """Return the shape of a Literal or Enum of strings, or None for other types."""
    if get_origin(declared) is Literal and all(type(option) is str for option in get_args(declared)):
        return ValueShape("S", declared, fast=FastType("choice", {option: option for option in get_args(declared)}))
    if isinstance(declared, type) and issubclass(declared, enum.Enum):
        members = {member.value: member for member in declared}
        if all(type(value) is str for value in members):
            fast = FastType("choice", members)
            return ValueShape("S", str, lambda content: f"{name}[{content}]", {name: members}, fast=fast)
    return None


def _container(kind: Any, arguments: tuple[Any, ...], name: str, codecs: TypeCodecs) -> ValueShape | None:
    if kind in (set, frozenset) and arguments[0] in _SETS:
        of = _SETS[arguments[0]]
        return ValueShape(of.member, of.content, lambda content: f"{kind.__name__}({of.expression(content)})")
    if kind is list or (kind is tuple and len(arguments) == 2 and arguments[1] is ...):
        inner = shape_of(arguments[0], name, codecs)
        open_, close = ("[", "]") if kind is list else ("tuple([", "])")
        element = inner.over("each")
        return ValueShape(
            "L",
            list[inner.type],  # type: ignore[name-defined]  # made at run time
            lambda content: f"{open_}{element} for each in {content}{close}",
            inner.names,
            element if kind is list else None,
            inner.fast.listed() if kind is list and inner.fast is not None else None,
        )
    if kind is dict and arguments[0] is str:
        inner = shape_of(arguments[1], name, codecs)
        made = f"key: {inner.over('each')} for key, each in "
        return ValueShape("M", dict[str, inner.type], lambda content: f"{{{made}{content}.items()}}", inner.names)  # type: ignore[name-defined]
    return None


@dataclass(frozen=True)
class ValueSource:
    """The source of a field's value: an expression, a test whether the value exists, and the lines before it."""

    value: str
    given: str | None = None
    before: Sequence[str] = ()


@dataclass(frozen=True)
class FieldColumn(Column):
    """The column of one field."""

    shape: ValueShape = field(kw_only=True)
    nullable: bool = field(kw_only=True)
    """Whether `{"NULL": true}` means no value."""
    keeps_null: bool = field(kw_only=True)
    """Whether a stored NULL becomes None instead of the default of the class."""

    @property
    def in_row(self) -> ValueSource:
        """The source code that reads the field from a msgspec row."""
        row, content = f"row.{self.member}", self.shape.content_of
        if not self.optional:
            if self.shape.element is None:
                return ValueSource(self.shape.over(row))
            # A loop that appends is faster than a list comprehension.
            loop = f"for each in {content(row)}: {self.member}.append({self.shape.element})"
            return ValueSource(self.member, before=(f"{self.member} = []", loop))
        there = f"(value := {row}) is not None"
        if self.keeps_null:
            some = f"(None if (value := {content('value')}) is None else {self.shape.expression('value')})"
            return ValueSource(some, there)
        if self.nullable:
            return ValueSource(self.shape.expression("value"), f"{there} and (value := {content('value')}) is not None")
        return ValueSource(self.shape.over("value"), there)

    @property
    def in_tuple(self) -> ValueSource:
        """The source code that takes the field from a tuple on the fast path."""
        return ValueSource(self.member, f"{self.member} is not absent" if self.optional else None)

    @property
    def fast(self) -> FastColumn:
        """The column for the fast path."""
        how = self.shape.fast or FastType.read_by(self._reader())
        return FastColumn(self.attribute, how, self.optional, self.nullable, self.keeps_null)

    def _reader(self) -> Callable[[bytes], Any]:
        """Return the function that reads a value from its JSON."""
        read = self.shape.type_not_null if self.nullable else self.shape.type
        names = {**self.shape.names, "decode": decoder_of(read).decode}
        text = f"lambda written: {self.shape.over('decode(written)')}"
        reader: Callable[[bytes], Any] = eval(text, names)  # noqa: S307  # generated text: see above
        return reader


def columns_of(target: DecodedClass) -> dict[str, FieldColumn]:
    """Return the column of every field, by field name."""
    return {name: _column(target, of, f"f{place}") for place, (name, of) in enumerate(target.fields.items())}


def _column(target: DecodedClass, of: Field, member: str) -> FieldColumn:
    attribute = target.attributes[of.name]
    shape = _shape(target, of, attribute, f"of_{member}")
    optional = of.optional or not of.required or not of.initialised
    in_keys = any(of.name in placement.exact_fields for placement in target.entity.placements.values())
    # If a field is stored as NULL, a key attribute can still contain its value.
    nullable = of.optional and not in_keys and shape.member is not None
    keeps_null = nullable and not of.is_none_unless_stored
    type_ = shape.type_or_null if nullable else shape.type
    return FieldColumn(attribute, member, type_, optional, shape=shape, nullable=nullable, keeps_null=keeps_null)


def _shape(target: DecodedClass, of: Field, attribute: str, name: str) -> ValueShape:
    codecs = target.entity.declaration.codecs
    if of.name == target.expiry:
        return read_by(expiry_reader(of.type), name)
    is_key = any(attribute in placement.index.key_attributes for placement in target.entity.placements.values())
    if is_key and of.type not in (str, int, float):  # the client may send it again as a key, exactly as stored
        return read_by(reader_of(of.type, codecs), name)
    return shape_of(of.type, name, codecs)


def object_factory(target: DecodedClass, columns: Mapping[str, FieldColumn]) -> Callable[[Sequence[Any]], list[Any]]:
    """Return the function that creates objects from rows with these columns.

    It raises NotOnFastPath after any error.
    """
    names = {name: value for column in columns.values() for name, value in column.shape.names.items()}
    sources = {name: column.in_row for name, column in columns.items()}
    return _function(target, sources, "for row in rows:", names)


class FastObjects(NamedTuple):
    """Objects on the fast path. The compiled reader reads rows from bytes, and a function creates the objects."""

    reader: RowReader
    create: Callable[[Iterable[Any]], list[Any]]

    def of(self, items: bytes | msgspec.Raw) -> list[Any]:
        """Decode comma-separated items into objects; raise NotOnFastPath if an item does not match the columns."""
        return self.create(self.reader.rows(items))

    def of_array(self, body: bytes, start: int) -> tuple[list[Any], int]:
        """Decode the array whose items start at `start`.

        Return the objects and the end of the array, or raise NotOnFastPath.
        """
        rows = self.reader.array(body, start)
        return self.create(rows), rows.position


def fast_objects(
    target: DecodedClass, columns: Mapping[str, FieldColumn], constants: Sequence[FastColumn]
) -> FastObjects | None:
    """Return the fast path for items with these columns, or None if the C extension was not compiled."""
    fast = (*constants, *(column.fast for column in columns.values()))
    sources = {name: column.in_tuple for name, column in columns.items()}
    if all(of.initialised for of in target.fields.values()):
        model = unvalidated_model(target.cls, [_argument(target, name, each) for name, each in sources.items()])
        if model is not None:
            reader = row_reader(fast, model)
            return None if reader is None else FastObjects(reader, list)
    reader = row_reader(fast)
    if reader is None:
        return None
    members = "".join(f"{column.member}, " for column in columns.values())
    return FastObjects(reader, _function(target, sources, f"for ({members}) in rows:", {"absent": ABSENT}))


def _function(
    target: DecodedClass, sources: Mapping[str, ValueSource], loop: str, names: dict[str, Any]
) -> Callable[[Any], list[Any]]:
    """Return the generated function that creates an object from each row. It raises NotOnFastPath after any error."""
    names |= {"set_field": object.__setattr__, "NotOnFastPath": NotOnFastPath}
    checks = struct_checks(target.cls)
    check_names = {name: f"check{place}" for place, name in enumerate(checks)}
    names |= {check_names[name]: check for name, check in checks.items()}
    arguments: list[ConstructorArgument] = []
    before: list[str] = []
    after: list[str] = []
    for name, each in sources.items():
        if target.fields[name].initialised:
            before += each.before
            checked = replace(each, value=f"{check_names[name]}({each.value})") if name in checks else each
            arguments.append(_argument(target, name, checked))
        else:
            after.append(f"if {each.given}: set_field({MADE}, {name!r}, {each.value})")
    source = construction(target.cls, arguments)
    names.update(source.names)
    lines = [*before, *source.lines, *after, f"append({MADE})"]
    body = ["result = []", "append = result.append", loop, *(f"    {line}" for line in lines), "return result"]
    # The code of a user's class can raise any exception. The slow path then reports the item that causes it.
    leave = ["except NotOnFastPath: raise", "except Exception as problem: raise NotOnFastPath from problem"]
    body = ["try:", *(f"    {line}" for line in body), *leave]
    text = "\n".join(["def objects(rows):", *(f"    {line}" for line in body)])
    exec(compile(text, f"<decoder of {target.label}>", "exec"), names)  # noqa: S102  # generated text: see above
    objects: Callable[[Any], list[Any]] = names["objects"]
    return objects


def _argument(target: DecodedClass, name: str, source: ValueSource) -> ConstructorArgument:
    of, argument = target.fields[name], argument_name(target.cls, name)
    if of.required and of.optional:
        return ConstructorArgument(argument, f"{source.value} if {source.given} else None")
    return ConstructorArgument(argument, source.value, source.given)
