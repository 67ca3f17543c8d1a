"""Item encoders: functions, generated for each entity, that turn the fields of an object into DynamoDB JSON.

This is a fast path for `planner/stored_items.py`. The compiled function handles the common types and passes every other
value to `field_value` and to the codecs, so that both paths encode all values in the same way. As in
`client/items/row_columns.py`, the generated source depends only on the declaration; values are always arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from operator import attrgetter
from typing import Any, Literal, NamedTuple, get_args, get_origin
from uuid import UUID

import msgspec

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.date_codec import COMPLETE_DATE, DateCodec
from singletable.model.codecs.datetime_codec import DatetimeCodec
from singletable.model.codecs.integer_codec import IntegerCodec
from singletable.model.codecs.text_codec import TextCodec
from singletable.model.derived.truncated_time import TruncatedTime
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import fields_of
from singletable.model.key_template import FieldSlot, LiteralText
from singletable.model.keys import KeyPart, NativePart, Placement, TemplatePart, check_bytes
from singletable.planner.stored_items import Item, field_value, item_of, key_attribute_value, key_of
from singletable.values.attribute_value import AttributeValue
from singletable.values.fast_path import FastPath, NotOnFastPath

FAST_ENCODING = FastPath("encoded items")
FAST_ITEM_KEYS = FastPath("item keys")
FAST_INDEX_KEYS = FastPath("index keys")
"""Counts only the index keys of updates. The fast path for items counts the index keys of whole items."""

KEY_CHARACTERS_UNCHECKED = 256
"""Keys up to this length cannot exceed DynamoDB's limits in bytes, because a character has at most four bytes."""
_INTEGER_LIMIT = 10**37
# Matches numbers in DynamoDB's canonical form: no exponent, no leading or trailing zeros, at most 35 digits.
_CANONICAL = re.compile(r"(?!-0$)-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,16}[1-9])?", re.ASCII).fullmatch
_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.decode
_attributes = attrgetter("__dict__")

Values = Mapping[str, Any]
_Texts = dict[Any, str]
"""The variables that contain the text of template slots."""
PartEncoder = Callable[[Values], AttributeValue | None]


class _Form(NamedTuple):
    """The source code that encodes values of a type: a test, the DynamoDB type, and the content. `v` is the value."""

    test: str
    kind: str
    content: str


_IN_UTC = "type(v) is datetime and (v.tzinfo is UTC or v.utcoffset() == no_offset)"
# msgspec formats a datetime ten times as fast as Python, but omits the microseconds if they are zero.
_ISO = 'iso(v) if v.microsecond else iso(v)[:19] + ".000000Z"'
_FORMS: dict[Any, _Form] = {
    str: _Form("type(v) is str", "S", "v"),  # encode() raises an error for text that UTF-8 cannot represent
    bool: _Form("type(v) is bool", "BOOL", "v"),
    int: _Form("type(v) is int and -limit < v < limit", "N", "str(v)"),
    Decimal: _Form("type(v) is Decimal and canonical(s := str(v))", "N", "s"),
    float: _Form("type(v) is float and canonical(s := repr(v))", "N", "s"),
    datetime: _Form(_IN_UTC, "S", _ISO),
    date: _Form("type(v) is date", "S", "str(v)"),
    UUID: _Form("type(v) is UUID", "S", "str(v)"),
}
_TEXTS = _Form("type(v) is list and {str}.issuperset(map(type, v))", "L", '[{"S": each} for each in v]')
_MOMENTS = {
    "seconds": 'iso(v)[:19] + "Z"',
    "milliseconds": '(iso(v)[:23] if v.microsecond else iso(v)[:19] + ".000") + "Z"',
    "microseconds": _ISO,
}
"""The text of a datetime in a key, truncated to each supported unit."""


class Encoder:
    """Encodes the objects of one entity."""

    def __init__(self, design: Design, entity: Entity) -> None:
        self._design, self._entity = design, entity
        self.field: Callable[[str, Any], AttributeValue | None] = partial(field_value, entity)
        """A function that returns the stored form of one field's value, or None for a value that is not stored."""
        self._names: dict[str, Any] = {
            "canonical": _CANONICAL,
            "check_bytes": check_bytes,
            "KeyRefused": KeyRefused,
            "NotOnFastPath": NotOnFastPath,
            "encode": _encode,
            "iso": msgspec.to_builtins,
            "limit": _INTEGER_LIMIT,
            "no_offset": timedelta(0),
            "other": self.field,
            "UTC": UTC,
            **{cls.__name__: cls for cls in (Decimal, datetime, date, UUID)},
        }
        fields = ", ".join(f"{name!r}: o.{name}" for name in entity.fields)
        self.values: Callable[[Any], dict[str, Any]] = self._compile("values", "o", [f"return {{{fields}}}"])
        """A function that returns the fields of an object."""
        self.view: Callable[[Any], Mapping[str, Any]] = _attributes if _has_instance_dict(entity.cls) else self.values
        """A function that returns the fields as a read-only mapping, which may contain other attributes of the object.
        """
        written = [part.attribute for placement in entity.placements.values() for part in placement.parts]
        is_compiled = not any(
            isinstance(part, NativePart) for placement in entity.placements.values() for part in placement.parts
        ) and len({*written, *entity.attributes.values()}) == len(written) + len(entity.attributes)
        self.fast: Callable[[Values], tuple[bytes, Hashable]] | None = (
            self._compile_fast("fast", self._json_lines(), "Exception") if is_compiled else None
        )
        """A function that returns the JSON of an item and its key, or raises NotOnFastPath.

        None if a key attribute contains the value of a field unchanged.
        """
        self._key: Callable[[Values], Item] = self._compile_fast("key", self._key_lines())
        self._parts: dict[str, PartEncoder] = {}

    def item(self, values: Values) -> Item:
        """Return the item with these field values. Raise KeyRefused or ArgumentRefused for invalid values."""
        if self.fast is not None:
            try:
                json, _ = self.fast(values)
            except NotOnFastPath:
                FAST_ENCODING.misses += 1
            else:
                FAST_ENCODING.hits += 1
                item: Item = _decode(json)
                return item
        return item_of(self._design, self._entity, values)

    def key(self, values: Values) -> Item:
        """Return the key of an entity's item in the table."""
        try:
            key = self._key(values)
        except NotOnFastPath:
            FAST_ITEM_KEYS.misses += 1
        else:
            FAST_ITEM_KEYS.hits += 1
            return key
        return key_of(self._entity, values)

    def fast_field(self, name: str) -> Callable[[Any], AttributeValue] | None:
        """Return the function that encodes the common values of a field and raises NotOnFastPath for other values.

        The result is None if the field has no fast path.
        """
        form = self._form(name)
        if form is None:
            return None
        declared, test = self._entity.fields[name].type, form.test
        if get_origin(declared) is Literal:  # no later check would reject an invalid value
            test += f" and v in {self._constant(frozenset(get_args(declared)))}"
        elif declared is str:  # UTF-8 can represent every ASCII text
            test += " and v.isascii()"
        lines = [f"if {test}: return {{{form.kind!r}: {form.content}}}", "raise NotOnFastPath"]
        return self._compile("fast_field", "v", lines)

    def part(self, placement: Placement, part: KeyPart) -> PartEncoder:
        """Return the encoder of one key attribute. The encoder returns None if a field of the key is None."""
        known = self._parts.get(part.attribute)
        if known is None:
            lines = [*self._placement_lines(placement, (part,), "return None"), f"return {self._key_value(part)}"]
            compiled = self._compile_fast("part", lines)

            def encode(values: Values) -> AttributeValue | None:
                try:
                    encoded: AttributeValue | None = compiled(values)
                except NotOnFastPath:
                    FAST_INDEX_KEYS.misses += 1
                else:
                    FAST_INDEX_KEYS.hits += 1
                    return encoded
                keys = placement.encode(values, (part,))
                return None if keys is None else key_attribute_value(keys[part.attribute])

            known = self._parts[part.attribute] = encode
        return known

    def _compile(self, name: str, argument: str, lines: Iterable[str]) -> Callable[..., Any]:
        text = "\n".join([f"def {name}({argument}):", *(f"    {line}" for line in lines)])
        exec(compile(text, f"<encoder of {self._entity.label}>", "exec"), self._names)  # noqa: S102  # see above
        compiled: Callable[..., Any] = self._names[name]
        return compiled

    def _compile_fast(
        self, name: str, lines: Iterable[str], errors: str = "(KeyRefused, KeyError)"
    ) -> Callable[[Values], Any]:
        """Return a compiled fast path. It turns these errors, such as the errors of codecs, into NotOnFastPath."""
        leave = ["except NotOnFastPath: raise", f"except {errors} as problem: raise NotOnFastPath from problem"]
        return self._compile(name, "values", ["try:", *(f"    {line}" for line in lines), *leave])

    def _key_lines(self) -> list[str]:
        base = self._entity.base
        keys = ", ".join(f"{part.attribute!r}: {self._key_value(part)}" for part in base.parts)
        return [*self._placement_lines(base, base.parts, "raise NotOnFastPath"), f"return {{{keys}}}"]

    def _key_value(self, part: KeyPart) -> str:
        """Return the source code for the stored form of a key attribute, using the variable of the placement lines."""
        if isinstance(part, NativePart):
            return self._local(part)
        if not part.fields:
            return self._constant({"S": part.template.text})
        return f'{{"S": {self._local(part)}}}'

    def _json_lines(self) -> list[str]:
        """Return the source lines that build the JSON of an item: key attributes, type, schema version and fields."""
        entity = self._entity
        base, texts, known = entity.base, _Texts(), set(entity.base.fields)
        keys = ", ".join(f"{part.attribute!r}: {self._key_value(part)}" for part in base.parts)
        lines = [*self._placement_lines(base, base.parts, "raise NotOnFastPath", texts), f"item = {{{keys}}}"]
        for placement in entity.placements.values():
            if placement.index.is_table:
                continue
            inner = self._placement_lines(placement, placement.parts, None, texts.copy())
            inner += [f"item[{part.attribute!r}] = {self._key_value(part)}" for part in placement.parts]
            lines += self._locals_of(placement.fields - known)
            known |= placement.fields
            lines += [f"if {self._present(placement.fields)}:", *(f"    {line}" for line in inner)]
        lines += [f"item[{name!r}] = {self._constant(value)}" for name, value in self._constant_attributes().items()]
        for name, attribute in entity.attributes.items():
            if name in entity.fields:
                lines += self._field_lines(name, attribute)
        key = ", ".join(self._local(part) for part in base.parts)
        return [*lines, f"return encode(item), ({key},)"]

    def _constant_attributes(self) -> dict[str, AttributeValue]:
        """Return the attributes that are the same for all items of the entity."""
        entity, settings = self._entity, self._design.settings
        marks: dict[str, AttributeValue] = {}
        if settings.type_attribute:
            marks[settings.type_attribute] = {"S": entity.name}
        if entity.declaration.schema_version is not None:
            marks[settings.schema_version_attribute] = {"N": str(entity.declaration.schema_version)}
        return marks

    def _form(self, name: str) -> _Form | None:
        """Return the form of a field's common values. Return None if the slow path encodes all its values."""
        if name == self._entity.declaration.ttl:
            return None
        declared = self._entity.fields[name].type
        form = _FORMS.get(declared) if isinstance(declared, type) else None
        if form is None and get_origin(declared) is Literal and all(type(each) is str for each in get_args(declared)):
            return _FORMS[str]
        return _TEXTS if form is None and get_origin(declared) is list and get_args(declared) == (str,) else form

    def _field_lines(self, name: str, attribute: str) -> list[str]:
        """Return the lines that store one field. They skip a value that is not stored, such as None."""
        lines = [f"v = values[{name!r}]"]
        form, branch = self._form(name), "if"
        if form is not None:
            lines.append(f"if {form.test}: item[{attribute!r}] = {{{form.kind!r}: {form.content}}}")
            branch = "elif"
        condition = "v is not None" if self._entity.fields[name].is_none_unless_stored else "True"
        stored = [f"s = other({name!r}, v)", f"if s is not None: item[{attribute!r}] = s"]
        return [*lines, f"{branch} {condition}:", *(f"    {line}" for line in stored)]

    def _locals_of(self, fields: Iterable[str]) -> list[str]:
        return [f"{self._variable(name)} = values.get({name!r})" for name in sorted(fields)]

    def _present(self, fields: Iterable[str]) -> str:
        return " and ".join(f"{self._variable(name)} is not None" for name in sorted(fields)) or "True"

    def _placement_lines(
        self, placement: Placement, parts: Iterable[KeyPart], missing: str | None, texts: _Texts | None = None
    ) -> list[str]:
        """Return the lines that build the text of key attributes. `missing` is the line for an item that lacks a field.

        `texts` contains the variables that earlier lines assign. These lines add their own variables.
        """
        known = _Texts() if texts is None else texts
        chosen = tuple(parts)
        fields = frozenset[str]().union(*(part.fields for part in chosen))
        lines: list[str] = []
        if missing is not None:
            lines = self._locals_of(fields)
            if fields:
                lines.append(f"if not ({self._present(fields)}): {missing}")
        for part in chosen:
            lines += self._part_lines(part, known, is_sort=part in placement.sort)
        return lines

    def _part_lines(self, part: KeyPart, texts: _Texts, *, is_sort: bool) -> list[str]:
        local = self._local(part)
        if isinstance(part, NativePart):
            encode = self._constant(lambda value: key_attribute_value(_checked(part, value, is_sort=is_sort)))
            return [f"{local} = {encode}({self._variable(part.field.name)})"]
        lines: list[str] = []
        text: list[str] = []
        for piece in part.template.parts:
            if isinstance(piece, LiteralText):
                text.append(repr(piece.text))
                continue
            if piece not in texts:
                texts[piece] = f"t{len(texts)}"
                lines.append(f"{texts[piece]} = {self._slot(part, piece)}")
            text.append(texts[piece])
        check = f"check_bytes({part.attribute!r}, {local}, sort={is_sort})"
        return [
            *lines,
            f"{local} = {' + '.join(text)}",
            f"if not 0 < len({local}) <= {KEY_CHARACTERS_UNCHECKED}: {check}",
        ]

    def _slot(self, part: TemplatePart, piece: Any) -> str:
        """Return the source code for the text of one field in a key."""
        if not isinstance(piece, FieldSlot):
            names = ", ".join(f"{name!r}: {self._variable(name)}" for name in piece.fields)
            computed = f"{self._constant(partial(part.template.text_of, piece))}({{{names}}})"
            if isinstance(piece.derived, TruncatedTime):
                return _moment(piece.derived.codec, self._variable(piece.fields[0]), computed)
            return computed
        value, encode = self._variable(piece.name), self._constant(piece.codec.encode)
        if type(piece.codec) is TextCodec:
            special = self._constant(piece.codec.special)
            return f"{value} if type({value}) is str and {special}({value}) is None else {encode}({value})"
        if type(piece.codec) is DatetimeCodec:
            return _moment(piece.codec, value, f"{encode}({value})")
        if type(piece.codec) is DateCodec and piece.codec.format == COMPLETE_DATE:
            return f"str({value}) if type({value}) is date else {encode}({value})"
        if type(piece.codec) is IntegerCodec and piece.codec.digits is not None:
            digits = piece.codec.digits
            test = f"type({value}) is int and 0 <= {value} < {self._constant(10**digits)}"
            return f"'%0{digits}d' % {value} if {test} else {encode}({value})"
        return f"{encode}({value})"

    def _variable(self, name: str) -> str:
        """Return the name of the local variable for a field in the source code of keys."""
        return f"k{list(self._entity.fields).index(name)}"

    def _local(self, part: KeyPart) -> str:
        """Return the name of the local variable for a key attribute in the source code."""
        parts = [each.attribute for placement in self._entity.placements.values() for each in placement.parts]
        return f"key{parts.index(part.attribute)}"

    def _constant(self, value: Any) -> str:
        """Register an object and return its name in the source code."""
        name = f"known{len(self._names)}"
        self._names[name] = value
        return name


def _moment(codec: Codec, value: str, other: str) -> str:
    """Return the source code for the text of a datetime in a key.

    `other` encodes the values that the fast path does not.
    """
    if type(codec) is not DatetimeCodec or codec.spec not in _MOMENTS:
        return other
    return f"({_MOMENTS[codec.spec]}) if (v := {value}) is not None and {_IN_UTC} else {other}"


def _has_instance_dict(cls: Any) -> bool:
    """Return whether objects store their fields in `__dict__`, as pydantic models and most dataclasses do."""
    names = fields_of(cls)
    return cls.__dictoffset__ != 0 and not any(hasattr(getattr(cls, name, None), "__get__") for name in names)


def _checked(part: NativePart, value: Any, *, is_sort: bool) -> Any:
    encoded = part.encode_value(value)
    check_bytes(part.attribute, encoded, sort=is_sort)
    return encoded
