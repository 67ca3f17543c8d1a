"""Operands of a key condition: symbolic while planning, bound when the caller's arguments are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from singletable.errors import ArgumentRefused, KeyRefused
from singletable.expressions.tree import Constant, Parameter
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.text_codec import escape
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.truncated_time import TruncatedTime
from singletable.model.key_template import DerivedSlot, FieldSlot
from singletable.model.keys import KeyValue, NativePart
from singletable.model.parameter_binding import Binding
from singletable.model.parameter_types import Between, Children, Equal, Predicate, Prefix
from singletable.model.regular_language import Language, concat, literal

Arguments = Mapping[str, Any]
Pick = Literal["value", "low", "high", "start", "root", "parent"]
"""Which attribute of a range object provides the operand's value."""


def value_of(source: Parameter | Constant, arguments: Arguments) -> Any:
    """Return the argument or the constant."""
    return source.value if isinstance(source, Constant) else arguments[source.name]


def predicate_of(binding: Binding, arguments: Arguments) -> Predicate:
    """Return the predicate on a field for these arguments."""
    value = value_of(binding.source, arguments)
    if binding.test is Equal:
        return Equal(value)
    if not isinstance(value, binding.test):
        raise ArgumentRefused(f"{binding.text[1:-1]} must be {binding.test.__name__}(...), got {value!r}")
    return cast(Predicate, value)


@dataclass(frozen=True)
class FixedText:
    """Literal text of the template."""

    text: str

    def show(self) -> str:
        """Return the text."""
        return self.text

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> str:
        """Return the text."""
        return self.text

    @property
    def language(self) -> Language:
        """The language that contains only this text."""
        return literal(self.text)


@dataclass(frozen=True)
class Encoded:
    """A value from a binding, encoded by the field's codec."""

    binding: Binding
    slot: FieldSlot
    pick: Pick = "value"

    def show(self) -> str:
        """Return the parameter's name in braces, or the encoded constant."""
        if isinstance(self.binding.source, Constant):
            return self.slot.codec.encode(self.binding.source.value)
        name = self.binding.source.name
        return f"{{{name}}}" if self.pick == "value" else f"{{{name}.{self.pick}}}"

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> str:
        """Return the encoded value."""
        if self.pick == "value" and self.binding.test is Equal:
            value = value_of(self.binding.source, arguments)
        else:
            value = getattr(predicate_of(self.binding, arguments), self.pick)
        try:
            return self.slot.codec.encode(value)
        except KeyRefused as problem:
            reason = str(problem).replace("{field", f"{{{self.slot.name}")  # codecs do not know the name of their field
            raise KeyRefused(f"{self.binding.text}: {reason}") from problem

    @property
    def language(self) -> Language:
        """Every text that the codec writes."""
        return self.slot.language


@dataclass(frozen=True)
class EachAncestor(Encoded):
    """A path and all its ancestors, root first: one key for each."""

    def show(self) -> str:
        """Return the path's name in braces with a star, which means one key for each value."""
        return f"{{{self.name}*}}"

    @property
    def name(self) -> str:
        """The path parameter."""
        return self.binding.text[1:-1]

    def each(self, arguments: Arguments) -> Iterator[dict[str, Any]]:
        """Yield the arguments once per ancestor and once for the path itself, root first."""
        path = arguments[self.name]
        return ({**arguments, self.name: path[:length]} for length in range(1, len(path) + 1))


@dataclass(frozen=True)
class PrefixText:
    """A prefix of a text field."""

    binding: Binding
    slot: FieldSlot

    def show(self) -> str:
        """Return the prefix's name in braces."""
        return f"{{{self.binding.text[1:-1]}.start}}"

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> str:
        """Return the prefix, encoded as in the key."""
        value = cast("Prefix[Any]", predicate_of(self.binding, arguments)).start
        if not isinstance(value, str):
            raise ArgumentRefused(f"{self.binding.text}: the prefix must be str, got {value!r}")
        return value if self.slot.codec.raw else escape(value, self.slot.codec.delimiter)

    @property
    def language(self) -> Language:
        """Every text that the codec writes."""
        return self.slot.language


@dataclass(frozen=True)
class ParentPath:
    """The path of a parent with a delimiter: the common prefix of the keys below it."""

    binding: Binding
    slot: FieldSlot

    def show(self) -> str:
        """Return the parent's name in braces."""
        return f"{{{self.binding.text[1:-1]}.parent}}{self.slot.codec.delimiter}"

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> str:
        """Return the parent's path; empty for the top of the tree."""
        path = cast("Children[Any]", predicate_of(self.binding, arguments)).parent
        return self.slot.codec.encode(path) + self.slot.codec.delimiter if path else ""

    @property
    def language(self) -> Language:
        """Every text that a path can be."""
        return self.slot.language


@dataclass(frozen=True)
class UnitBound:
    """The unit of time, such as the second, that contains a bound of a range."""

    binding: Binding
    slot: DerivedSlot
    pick: Pick

    def show(self) -> str:
        """Return the bound with its unit in braces: `{created_at.low:seconds}`."""
        return f"{{{self.binding.text[1:-1]}.{self.pick}:{_spec(self.slot)}}}"

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> str:
        """Return the text of the unit."""
        predicate = predicate_of(self.binding, arguments)
        try:
            text = self.slot.derived.compute(getattr(predicate, self.pick))
        except KeyRefused as problem:
            reason = str(problem).replace("{field", f"{{{self.slot.fields[0]}")
            raise KeyRefused(f"{self.binding.text}: {reason}") from problem
        if isinstance(predicate, Between) and self.pick == "high" and predicate.low > predicate.high:
            low, high = str(predicate.low), str(predicate.high)
            raise ArgumentRefused(
                f"the range {self.binding.text} is empty: {low!r} sorts after {high!r}; swap low and high"
            )
        return text

    @property
    def language(self) -> Language:
        """Every text that a unit can have."""
        return self.slot.language


@dataclass(frozen=True)
class DerivedText:
    """A derived value, computed from known fields."""

    slot: DerivedSlot
    bindings: tuple[Binding, ...]

    def show(self) -> str:
        """Return the derived value's name in braces; for a unit of time, the parameter and the unit."""
        if not isinstance(self.slot.derived, TruncatedTime):
            return f"{{{self.slot.name}}}"
        (binding,) = self.bindings
        if isinstance(binding.source, Constant):
            return self.slot.derived.compute(binding.source.value)
        return f"{{{binding.source.name}:{_spec(self.slot)}}}"

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> str:
        """Return the derived value's text."""
        try:
            (text,) = self.slot.derived.expand(_known(self.bindings, arguments))
        except KeyRefused as problem:
            if not isinstance(self.slot.derived, TruncatedTime):
                raise
            reason = str(problem).replace("{field", f"{{{self.slot.fields[0]}")
            raise KeyRefused(f"{self.bindings[0].text}: {reason}") from problem
        return escape(text, self.slot.delimiter)

    @property
    def language(self) -> Language:
        """Every text that the derived value can be."""
        return self.slot.language


@dataclass(frozen=True)
class FanOut:
    """An unknown value: the pattern takes one Query for each possible value."""

    name: str
    count: int | None
    what: str
    source: DerivedValue | Codec
    bindings: tuple[Binding, ...]
    slot_language: Language
    delimiter: str

    def show(self) -> str:
        """Return the value's name in braces with a star, which means one Query for each value."""
        return f"{{{self.name}*}}"

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> str:
        """Return the value of this Query."""
        return fan_out[self.name]

    def values(self, arguments: Arguments) -> tuple[str, ...]:
        """Return every possible value as key text."""
        if isinstance(self.source, Codec):
            return tuple(self.source.encode(value) for value in self.source.domain or ())
        return tuple(escape(text, self.delimiter) for text in self.source.expand(_known(self.bindings, arguments)))

    @property
    def language(self) -> Language:
        """Every possible text."""
        return self.slot_language


Atom = FixedText | Encoded | PrefixText | ParentPath | UnitBound | DerivedText | FanOut


def same_atom(first: Atom, second: Atom) -> bool:
    """Whether two atoms always have the same text, even for fields of different entities."""
    if isinstance(first, Encoded) and isinstance(second, Encoded):
        ours, theirs = (first.binding.source, first.pick), (second.binding.source, second.pick)
        return ours == theirs and first.slot.codec == second.slot.codec
    if isinstance(first, UnitBound) and isinstance(second, UnitBound):
        return _same_unit(first.slot, second.slot) and (first.binding.source, first.pick) == (
            second.binding.source,
            second.pick,
        )
    if isinstance(first, DerivedText) and isinstance(second, DerivedText) and _same_unit(first.slot, second.slot):
        return [each.source for each in first.bindings] == [each.source for each in second.bindings]
    return first == second


def _same_unit(first: DerivedSlot, second: DerivedSlot) -> bool:
    """Whether two slots keep the same unit of a time, even of fields with different names."""
    is_time = isinstance(first.derived, TruncatedTime)
    return is_time and replace(first.derived, fields=()) == replace(second.derived, fields=())


def _spec(slot: DerivedSlot) -> str:
    """Return the format of a slot as written in the template, such as `seconds`."""
    return slot.name.partition(":")[2]


def _known(bindings: tuple[Binding, ...], arguments: Arguments) -> dict[str, Predicate]:
    return {name: predicate_of(binding, arguments) for binding in bindings for name in binding.fields}


@dataclass(frozen=True)
class TextOperand:
    """Text composed of literals and bound values."""

    atoms: tuple[Atom, ...]

    def show(self) -> str:
        """Return the operand with parameters in braces."""
        return "".join(atom.show() for atom in self.atoms)

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> KeyValue:
        """Return the operand's text."""
        return "".join([atom.bind(arguments, fan_out) for atom in self.atoms])

    @property
    def language(self) -> Language:
        """Every text that the operand can be."""
        return concat(*(atom.language for atom in self.atoms))


@dataclass(frozen=True)
class NativeOperand:
    """The value of a native attribute."""

    part: NativePart
    binding: Binding
    pick: Pick = "value"

    def show(self) -> str:
        """Return the parameter's name in braces, or the constant."""
        written = self.binding.text
        if self.pick == "value" or isinstance(self.binding.source, Constant):
            return written
        return f"{written[:-1]}.{self.pick}}}"

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> KeyValue:
        """Return the value as DynamoDB stores it."""
        return self.part.encode_value(getattr(predicate_of(self.binding, arguments), self.pick))


Operand = TextOperand | NativeOperand
Operator = Literal["=", "begins_with", "BETWEEN", ">=", "<="]


@dataclass(frozen=True)
class KeyComparison:
    """One comparison of a key condition."""

    attribute: str
    operator: Operator
    operands: tuple[Operand, ...]

    def show(self) -> str:
        """Return the comparison in DynamoDB's notation, with parameters in braces."""
        quoted = [f'"{o.show()}"' if isinstance(o, TextOperand) else o.show() for o in self.operands]
        return comparison_text(self.attribute, self.operator, quoted)


def comparison_text(attribute: str, operator: Operator, operands: list[str]) -> str:
    """Return a comparison in DynamoDB's notation."""
    if operator == "begins_with":
        return f"begins_with({attribute}, {operands[0]})"
    return f"{attribute} {operator} {' AND '.join(operands)}"
