"""Columns: a class's fields as attributes of a row, and the function that makes objects out of rows.

As with dataclasses, the function is text that is made out of the declaration and compiled. Nothing in it comes from
data: names of attributes are in the row's type, and what is read is only ever an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from singletable.client.items.construction import MADE, Argument, argument_name, construction
from singletable.client.items.rows import Column, Row
from singletable.client.items.shapes import Shape, read_by, shape_of
from singletable.client.items.value_reader import expiry_reader, reader_of
from singletable.model.fields import Field

if TYPE_CHECKING:
    from singletable.client.items.decoder import Made


@dataclass(frozen=True)
class FieldColumn(Column):
    """The attribute of one field."""

    shape: Shape = field(kw_only=True)
    nullable: bool = field(kw_only=True)
    """Whether `{"NULL": true}` stands for no value."""
    keeps_null: bool = field(kw_only=True)
    """Whether that is None itself, and not what the class has where nothing is stored."""

    @property
    def given(self) -> str | None:
        """Source that says whether a row has a value, and keeps it as `value`; None when it always has."""
        if not self.optional:
            return None
        there = f"(value := row.{self.member}) is not None"
        if self.keeps_null:
            return there
        return f"{there} and (value := {self.shape.content_of('value')}) is not None" if self.nullable else there

    @property
    def value(self) -> str:
        """Source of the field's value."""
        if not self.optional:
            return self.shape.over(f"row.{self.member}")
        if self.keeps_null:
            content = self.shape.content_of("value")
            return f"(None if (value := {content}) is None else {self.shape.expression('value')})"
        return self.shape.expression("value") if self.nullable else self.shape.over("value")

    @property
    def as_list(self) -> list[str]:
        """Lines that make a list that every row has, called as the column is: sooner than what `value` says."""
        if self.optional or self.shape.element is None:
            return []
        content = self.shape.content_of(f"row.{self.member}")
        return [f"{self.member} = []", f"for each in {content}: {self.member}.append({self.shape.element})"]


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
    names: dict[str, Any] = {"set_field": object.__setattr__}
    arguments, before, after = [], [], []
    for name, column in columns.items():
        of = made.fields[name]
        names.update(column.shape.names)
        argument = argument_name(made.cls, name)
        if of.initialised and (lines := column.as_list):
            before += lines
            arguments.append(Argument(argument, column.member))
        elif not of.initialised:
            after.append(f"if {column.given}: set_field({MADE}, {name!r}, {column.value})")
        elif of.required and of.optional:
            arguments.append(Argument(argument, f"{column.value} if {column.given} else None"))
        else:
            arguments.append(Argument(argument, column.value, column.given))
    source = construction(made.cls, arguments)
    names.update(source.names)
    lines = [*before, *source.lines, *after, f"append({MADE})"]
    head = ["def objects(rows):", "    result = []", "    append = result.append", "    for row in rows:"]
    text = "\n".join([*head, *(f"        {line}" for line in lines), "    return result"])
    exec(compile(text, f"<decoder of {made.label}>", "exec"), names)  # noqa: S102  # our own text: see above
    objects: Callable[[Sequence[Row]], list[Any]] = names["objects"]
    return objects
