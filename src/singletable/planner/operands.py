"""Operands of a key condition before and after the caller's arguments are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from singletable.errors import ArgumentRefused, KeyRefused
from singletable.expressions.tree import Constant, Parameter
from singletable.model.binding import Binding
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.text import escape
from singletable.model.derived.derived import Derived
from singletable.model.keys import KeyValue, NativePart
from singletable.model.language import Language, concat, literal
from singletable.model.ranges import Children, Equal, Predicate, Prefix
from singletable.model.template import DerivedSlot, FieldSlot

Arguments = Mapping[str, Any]
Pick = Literal["value", "low", "high", "start", "root", "parent"]
"""Which value of a predicate an operand is made of: the attribute of the range's class."""


def value_of(source: Parameter | Constant, arguments: Arguments) -> Any:
    """The argument or the constant itself."""
    return source.value if isinstance(source, Constant) else arguments[source.name]


def predicate_of(binding: Binding, arguments: Arguments) -> Predicate:
    """What is known of a field once the arguments are."""
    value = value_of(binding.source, arguments)
    if binding.test is Equal:
        return Equal(value)
    if not isinstance(value, binding.test):
        wanted = binding.test.__name__
        raise ArgumentRefused(f"{binding.written[1:-1]} is {value!r}, but the pattern takes {wanted}(...)")
    return cast(Predicate, value)


@dataclass(frozen=True)
class Text:
    """Text that the template fixes."""

    text: str

    def show(self) -> str:
        """The text itself."""
        return self.text

    def bind(self, arguments: Arguments, spread: Mapping[str, str]) -> str:
        """The text itself."""
        return self.text

    @property
    def language(self) -> Language:
        """Exactly this text."""
        return literal(self.text)


@dataclass(frozen=True)
class Encoded:
    """A value that a binding gives, written by the field's codec."""

    binding: Binding
    slot: FieldSlot
    pick: Pick = "value"

    def show(self) -> str:
        """The value's name in braces, or a constant's text."""
        if isinstance(self.binding.source, Constant):
            return self.slot.codec.encode(self.binding.source.value)
        name = self.binding.source.name
        return f"{{{name}}}" if self.pick == "value" else f"{{{name}.{self.pick}}}"

    def bind(self, arguments: Arguments, spread: Mapping[str, str]) -> str:
        """The value's text in the key."""
        if self.pick == "value" and self.binding.test is Equal:
            value = value_of(self.binding.source, arguments)
        else:
            value = getattr(predicate_of(self.binding, arguments), self.pick)
        try:
            return self.slot.codec.encode(value)
        except KeyRefused as problem:
            told = str(problem).replace("{field", f"{{{self.slot.name}")  # codecs do not know whose they are
            raise KeyRefused(f"{self.binding.written}: {told}") from problem

    @property
    def language(self) -> Language:
        """Every text that the codec writes."""
        return self.slot.language


@dataclass(frozen=True)
class EachAbove(Encoded):
    """A path and every path above it, the root's first: each is asked for by a key of its own."""

    def show(self) -> str:
        """The path's name in braces, starred: one key for each."""
        return f"{{{self.name}*}}"

    @property
    def name(self) -> str:
        """The parameter that gives the path."""
        return self.binding.written[1:-1]

    def each(self, arguments: Arguments) -> Iterator[dict[str, Any]]:
        """The arguments with every path on the way down in place of the path."""
        path = arguments[self.name]
        return ({**arguments, self.name: path[:length]} for length in range(1, len(path) + 1))


@dataclass(frozen=True)
class PrefixText:
    """The beginning of a text field."""

    binding: Binding
    slot: FieldSlot

    def show(self) -> str:
        """The prefix's name in braces."""
        return f"{{{self.binding.written[1:-1]}.start}}"

    def bind(self, arguments: Arguments, spread: Mapping[str, str]) -> str:
        """The prefix as it stands in the key."""
        value = cast("Prefix[Any]", predicate_of(self.binding, arguments)).start
        if not isinstance(value, str):
            raise ArgumentRefused(f"{self.binding.written} begins with {value!r}, which is not text")
        return value if self.slot.codec.raw else escape(value, self.slot.codec.delimiter)

    @property
    def language(self) -> Language:
        """Every text that the codec writes."""
        return self.slot.language


@dataclass(frozen=True)
class ParentPath:
    """The path of a parent and the delimiter after it: what the keys of everything below begin with."""

    binding: Binding
    slot: FieldSlot

    def show(self) -> str:
        """The parent's name in braces."""
        return f"{{{self.binding.written[1:-1]}.parent}}{self.slot.codec.delimiter}"

    def bind(self, arguments: Arguments, spread: Mapping[str, str]) -> str:
        """The parent's path, or nothing for the top of the tree."""
        path = cast("Children[Any]", predicate_of(self.binding, arguments)).parent
        return self.slot.codec.encode(path) + self.slot.codec.delimiter if path else ""

    @property
    def language(self) -> Language:
        """Every text that a path can be."""
        return self.slot.language


@dataclass(frozen=True)
class Computed:
    """A derived value that follows from what is known of its fields."""

    slot: DerivedSlot
    bindings: tuple[Binding, ...]

    def show(self) -> str:
        """The derived value's name in braces."""
        return f"{{{self.slot.name}}}"

    def bind(self, arguments: Arguments, spread: Mapping[str, str]) -> str:
        """The derived value's text."""
        (text,) = self.slot.derived.expand(_known(self.bindings, arguments))
        return escape(text, self.slot.delimiter)

    @property
    def language(self) -> Language:
        """Every text that the derived value can be."""
        return self.slot.language


@dataclass(frozen=True)
class Spread:
    """A value that is not known: each one possible is asked for in a Query of its own."""

    name: str
    count: int | None
    what: str
    source: Derived | Codec
    bindings: tuple[Binding, ...]
    slot_language: Language
    delimiter: str

    def show(self) -> str:
        """The value's name in braces, starred: one Query for each."""
        return f"{{{self.name}*}}"

    def bind(self, arguments: Arguments, spread: Mapping[str, str]) -> str:
        """The value whose turn it is."""
        return spread[self.name]

    def values(self, arguments: Arguments) -> tuple[str, ...]:
        """Every value to ask for, as its text in the key."""
        if isinstance(self.source, Codec):
            return tuple(self.source.encode(value) for value in self.source.domain or ())
        return tuple(escape(text, self.delimiter) for text in self.source.expand(_known(self.bindings, arguments)))

    @property
    def language(self) -> Language:
        """Every text that can stand here."""
        return self.slot_language


Atom = Text | Encoded | PrefixText | ParentPath | Computed | Spread


def same_atom(first: Atom, second: Atom) -> bool:
    """Whether two atoms are always the same text, although they may be made for fields of two entities."""
    if isinstance(first, Encoded) and isinstance(second, Encoded):
        ours, theirs = (first.binding.source, first.pick), (second.binding.source, second.pick)
        return ours == theirs and first.slot.codec == second.slot.codec
    return first == second


def _known(bindings: tuple[Binding, ...], arguments: Arguments) -> dict[str, Predicate]:
    return {name: predicate_of(binding, arguments) for binding in bindings for name in binding.fields}


@dataclass(frozen=True)
class TextOperand:
    """Text put together from what the template fixes and what the bindings give."""

    atoms: tuple[Atom, ...]

    def show(self) -> str:
        """The operand with parameters in braces."""
        return "".join(atom.show() for atom in self.atoms)

    def bind(self, arguments: Arguments, spread: Mapping[str, str]) -> KeyValue:
        """The operand's text."""
        return "".join([atom.bind(arguments, spread) for atom in self.atoms])

    @property
    def language(self) -> Language:
        """Every text that the operand can be."""
        return concat(*(atom.language for atom in self.atoms))


@dataclass(frozen=True)
class NativeOperand:
    """A native attribute's own value."""

    part: NativePart
    binding: Binding
    pick: Pick = "value"

    def show(self) -> str:
        """The value's name in braces, or the constant."""
        written = self.binding.written
        if self.pick == "value" or isinstance(self.binding.source, Constant):
            return written
        return f"{written[:-1]}.{self.pick}}}"

    def bind(self, arguments: Arguments, spread: Mapping[str, str]) -> KeyValue:
        """The value as DynamoDB holds it."""
        return self.part.encode_value(getattr(predicate_of(self.binding, arguments), self.pick))


Operand = TextOperand | NativeOperand
Operator = Literal["=", "begins_with", "BETWEEN", ">=", "<="]


@dataclass(frozen=True)
class KeyTest:
    """One comparison of a key condition."""

    attribute: str
    operator: Operator
    operands: tuple[Operand, ...]

    def show(self) -> str:
        """The comparison as DynamoDB writes it, with parameters in braces."""
        quoted = [f'"{o.show()}"' if isinstance(o, TextOperand) else o.show() for o in self.operands]
        return written_test(self.attribute, self.operator, quoted)


def written_test(attribute: str, operator: Operator, operands: list[str]) -> str:
    """A comparison in DynamoDB's own notation."""
    if operator == "begins_with":
        return f"begins_with({attribute}, {operands[0]})"
    return f"{attribute} {operator} {' AND '.join(operands)}"
