"""Columns: a class's fields as attributes of a row, and the function that makes objects out of rows.

As with dataclasses, the function is text that is made out of the declaration and compiled. Nothing in it comes from
data: names of attributes are in the row's type, and what is read is only ever an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from singletable.client.items.construction import (
    MADE,
    Argument,
    argument_name,
    construction,
    plain_model,
    struct_checks,
)
from singletable.client.items.quick_rows import ABSENT, Quick, QuickColumn, row_reader
from singletable.client.items.rows import Column
from singletable.client.items.shapes import Shape, read_by, shape_of
from singletable.client.items.value_reader import expiry_reader, reader_of
from singletable.model.fields import Field
from singletable.wire.decoders import decoder_of

if TYPE_CHECKING:
    from singletable.client.items._quick_rows import RowReader
    from singletable.client.items.decoder import Made


class Spoken(NamedTuple):
    """A field in the source: its value, when it has one (None for always), and what has to be done before."""

    value: str
    given: str | None = None
    before: Sequence[str] = ()


@dataclass(frozen=True)
class FieldColumn(Column):
    """The attribute of one field."""

    shape: Shape = field(kw_only=True)
    nullable: bool = field(kw_only=True)
    """Whether `{"NULL": true}` stands for no value."""
    keeps_null: bool = field(kw_only=True)
    """Whether that is None itself, and not what the class has where nothing is stored."""

    @property
    def in_row(self) -> Spoken:
        """How the source speaks of it where a row is read."""
        row, content = f"row.{self.member}", self.shape.content_of
        if not self.optional:
            if self.shape.element is None:
                return Spoken(self.shape.over(row))
            # A list that is called as the column is, made sooner than by an expression.
            loop = f"for each in {content(row)}: {self.member}.append({self.shape.element})"
            return Spoken(self.member, before=(f"{self.member} = []", loop))
        there = f"(value := {row}) is not None"
        if self.keeps_null:
            some = f"(None if (value := {content('value')}) is None else {self.shape.expression('value')})"
            return Spoken(some, there)
        if self.nullable:
            return Spoken(self.shape.expression("value"), f"{there} and (value := {content('value')}) is not None")
        return Spoken(self.shape.over("value"), there)

    @property
    def in_tuple(self) -> Spoken:
        """The same where the compiled pass has read its value already."""
        return Spoken(self.member, f"{self.member} is not absent" if self.optional else None)

    @property
    def quick(self) -> QuickColumn:
        """What the compiled pass has to know of it."""
        how = self.shape.quick or Quick.read_by(self._reader())
        return QuickColumn(self.attribute, how, self.optional, self.nullable, self.keeps_null)

    def _reader(self) -> Callable[[bytes], Any]:
        """A function that reads a value as it is written."""
        read = self.shape.type_not_null if self.nullable else self.shape.type
        names = {**self.shape.names, "decode": decoder_of(read).decode}
        text = f"lambda written: {self.shape.over('decode(written)')}"
        reader: Callable[[bytes], Any] = eval(text, names)  # noqa: S307  # our own text: see above
        return reader


def columns_of(made: Made) -> dict[str, FieldColumn]:
    """The columns of every field, by the names of the fields."""
    return {name: _column(made, of, f"f{place}") for place, (name, of) in enumerate(made.fields.items())}


def _column(made: Made, of: Field, member: str) -> FieldColumn:
    attribute = made.attributes[of.name]
    shape = _shape(made, of, attribute, f"of_{member}")
    optional = of.optional or not of.required or not of.initialised
    in_keys = any(of.name in placement.exact_fields for placement in made.entity.placements.values())
    nullable = of.optional and not in_keys and shape.member is not None  # keys may have what NULL hides
    keeps_null = nullable and not of.is_none_unless_stored
    type_ = shape.type_or_null if nullable else shape.type
    return FieldColumn(attribute, member, type_, optional, shape=shape, nullable=nullable, keeps_null=keeps_null)


def _shape(made: Made, of: Field, attribute: str, name: str) -> Shape:
    if of.name == made.expiry:
        return read_by(expiry_reader(of.type), name)
    is_key = any(attribute in placement.index.key_attributes for placement in made.entity.placements.values())
    if is_key and of.type not in (str, int, float):  # it may be sent again, as it came and to the letter
        return read_by(reader_of(of.type), name)
    return shape_of(of.type, name)


def compiled(made: Made, columns: Mapping[str, FieldColumn]) -> Callable[[Sequence[Any]], list[Any]]:
    """The function that makes objects out of rows with these columns."""
    names = {name: value for column in columns.values() for name, value in column.shape.names.items()}
    spoken = {name: column.in_row for name, column in columns.items()}
    return _function(made, spoken, "for row in rows:", names)


class QuickObjects(NamedTuple):
    """Objects by the compiled pass: it reads the rows of bytes, and a function makes objects of those."""

    reader: RowReader
    made: Callable[[Iterable[Any]], list[Any]]

    def of(self, items: bytes | msgspec.Raw) -> list[Any]:
        """The objects of items with commas between them; raises for any that is not as its columns say."""
        return self.made(self.reader.rows(items))

    def of_array(self, body: bytes, start: int) -> tuple[list[Any], int]:
        """The objects of an array, from behind its opening bracket, and where it has ended; raises likewise."""
        rows = self.reader.array(body, start)
        return self.made(rows), rows.position


def compiled_quickly(
    made: Made, columns: Mapping[str, FieldColumn], constants: Sequence[QuickColumn]
) -> QuickObjects | None:
    """What makes objects out of the bytes of items with these columns and constants; None where it was not built."""
    quick = (*constants, *(column.quick for column in columns.values()))
    spoken = {name: column.in_tuple for name, column in columns.items()}
    if all(of.initialised for of in made.fields.values()):
        model = plain_model(made.cls, [_argument(made, name, each) for name, each in spoken.items()])
        if model is not None:
            reader = row_reader(quick, model)
            return None if reader is None else QuickObjects(reader, list)
    reader = row_reader(quick)
    if reader is None:
        return None
    members = "".join(f"{column.member}, " for column in columns.values())
    return QuickObjects(reader, _function(made, spoken, f"for ({members}) in rows:", {"absent": ABSENT}))


def _function(made: Made, spoken: Mapping[str, Spoken], loop: str, names: dict[str, Any]) -> Callable[[Any], list[Any]]:
    """A function of rows that makes an object in each turn of a loop over them."""
    names["set_field"] = object.__setattr__
    checks = struct_checks(made.cls)
    check_names = {name: f"check{place}" for place, name in enumerate(checks)}
    names |= {check_names[name]: check for name, check in checks.items()}
    arguments: list[Argument] = []
    before: list[str] = []
    after: list[str] = []
    for name, each in spoken.items():
        if made.fields[name].initialised:
            before += each.before
            checked = each._replace(value=f"{check_names[name]}({each.value})") if name in checks else each
            arguments.append(_argument(made, name, checked))
        else:
            after.append(f"if {each.given}: set_field({MADE}, {name!r}, {each.value})")
    source = construction(made.cls, arguments)
    names.update(source.names)
    lines = [*before, *source.lines, *after, f"append({MADE})"]
    head = ["def objects(rows):", "    result = []", "    append = result.append", f"    {loop}"]
    text = "\n".join([*head, *(f"        {line}" for line in lines), "    return result"])
    exec(compile(text, f"<decoder of {made.label}>", "exec"), names)  # noqa: S102  # our own text: see above
    objects: Callable[[Any], list[Any]] = names["objects"]
    return objects


def _argument(made: Made, name: str, spoken: Spoken) -> Argument:
    of, argument = made.fields[name], argument_name(made.cls, name)
    if of.required and of.optional:
        return Argument(argument, f"{spoken.value} if {spoken.given} else None")
    return Argument(argument, spoken.value, spoken.given)
