"""Operands of a key condition: symbolic during planning, and bound when the arguments of a call are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from singletable.errors import ArgumentRefused, KeyRefused
from singletable.expressions.tree import Constant, Parameter
from singletable.lazy_dataclass import dataclass, replace
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
"""The attribute of a range object that provides the value of the operand."""


def value_of(source: Parameter | Constant, arguments: Arguments) -> Any:
    """Return the value of a constant, or the argument of the call for a parameter."""
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
    """The value of a parameter or constant, encoded by the codec of the field."""

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
            # a codec does not have the name of its field
            reason = str(problem).replace("{field", f"{{{self.slot.name}")
            raise KeyRefused(f"{self.binding.text}: {reason}") from problem

    @property
    def language(self) -> Language:
        """Every text that the codec writes."""
        return self.slot.language


@dataclass(frozen=True)
class EachAncestor(Encoded):
    """A path and all its ancestors, with the root first. There is one key for each."""

    def show(self) -> str:
        """Return the name of the path in braces with a star. The star means one key for each value."""
        return f"{{{self.name}*}}"

    @property
    def name(self) -> str:
        """The path parameter."""
        return self.binding.text[1:-1]

    def each(self, arguments: Arguments) -> Iterator[dict[str, Any]]:
        """Yield the arguments once per ancestor and once for the path itself, with the root first."""
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
            raise ArgumentRefused(f"{self.binding.text}: the prefix must be a str, got {value!r}")
        return value if self.slot.codec.raw else escape(value, self.slot.codec.delimiter)

    @property
    def language(self) -> Language:
        """Every text that the codec writes."""
        return self.slot.language


@dataclass(frozen=True)
class ParentPath:
    """The path of a parent, followed by a delimiter. It is the common prefix of the keys below the parent."""

    binding: Binding
    slot: FieldSlot

    def show(self) -> str:
        """Return the parent's name in braces."""
        return f"{{{self.binding.text[1:-1]}.parent}}{self.slot.codec.delimiter}"

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> str:
        """Return the path of the parent. It is empty for the top of the tree."""
        path = cast("Children[Any]", predicate_of(self.binding, arguments)).parent
        return self.slot.codec.encode(path) + self.slot.codec.delimiter if path else ""

    @property
    def language(self) -> Language:
        """Return the language of all paths."""
        return self.slot.language


@dataclass(frozen=True)
class UnitBound:
    """The unit of time that contains a bound of a range, such as the second of the bound."""

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
        """Return the language of all texts that a unit can have."""
        return self.slot.language


@dataclass(frozen=True)
class DerivedText:
    """A derived value, computed from known fields."""

    slot: DerivedSlot
    bindings: tuple[Binding, ...]

    def show(self) -> str:
        """Return the name of the derived value in braces. For a unit of time, return the parameter and the unit."""
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
        """Return the language of all texts that the derived value can have."""
        return self.slot.language


@dataclass(frozen=True)
class FanOut:
    """An unknown value: the pattern sends one Query for each possible value."""

    name: str
    count: int | None
    what: str
    source: DerivedValue | Codec
    bindings: tuple[Binding, ...]
    slot_language: Language
    delimiter: str

    def show(self) -> str:
        """Return the name of the value in braces with a star. The star means one Query for each value."""
        return f"{{{self.name}*}}"

    def bind(self, arguments: Arguments, fan_out: Mapping[str, str]) -> str:
        """Return the value of this Query."""
        return fan_out[self.name]

    def values(self, arguments: Arguments) -> tuple[str, ...]:
        """Return every possible value as the text that a key contains."""
        if isinstance(self.source, Codec):
            return tuple(self.source.encode(value) for value in self.source.domain or ())
        return tuple(escape(text, self.delimiter) for text in self.source.expand(_known(self.bindings, arguments)))

    @property
    def language(self) -> Language:
        """Return the language of all possible texts."""
        return self.slot_language


Atom = FixedText | Encoded | PrefixText | ParentPath | UnitBound | DerivedText | FanOut


def same_atom(first: Atom, second: Atom) -> bool:
    """Return whether two parts of a key always have the same text, even for fields of different entities."""
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
    """Return whether two slots contain the same unit of a time, even if their fields have different names."""
    is_time = isinstance(first.derived, TruncatedTime)
    return is_time and replace(first.derived, fields=()) == replace(second.derived, fields=())


def _spec(slot: DerivedSlot) -> str:
    """Return the format of a slot as the template contains it, such as `seconds`."""
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
        """Return the language of all texts that the operand can have."""
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
