"""Match the parameters of a pattern with the keys of an entity in one index.

The module builds the key condition, and computes which entities its key range can contain, to prove that it contains
only the expected entities.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from singletable.lazy_dataclass import dataclass
from singletable.model.derived.tree_path import Depth
from singletable.model.derived.truncated_time import TruncatedTime
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.key_template import DerivedSlot, FieldSlot, LiteralText, Slot
from singletable.model.keys import KeyPart, NativePart, Placement, TemplatePart
from singletable.model.parameter_binding import Binding
from singletable.model.parameter_types import AREA_TYPES, Children, Equal, Present
from singletable.model.regular_language import ANYTHING, Language, between, concat
from singletable.model.table_schema import Index
from singletable.planner.mismatches import Mismatch, NotServed, PartitionUnknown
from singletable.planner.operands import (
    Atom,
    DerivedText,
    Encoded,
    FanOut,
    FixedText,
    KeyComparison,
    NativeOperand,
    TextOperand,
    UnitBound,
    same_atom,
)
from singletable.planner.sort_key import OpenSlot, native_range, template_range, unit_range
from singletable.planner.trims import Trim

_LAST = "\U0010ffff"


@dataclass(frozen=True)
class IndexMatch:
    """The key condition that the predicates of a pattern form on one index, and why the index does not fit."""

    partition: tuple[KeyComparison, ...] = ()
    sort: tuple[KeyComparison, ...] = ()
    consumed: frozenset[Binding] = frozenset()
    fan_outs: tuple[FanOut, ...] = ()
    open_slot: OpenSlot | None = None
    mismatches: tuple[Mismatch, ...] = ()
    trims: tuple[Trim, ...] = ()
    """The predicates that the key condition checks only to the precision of a unit of time."""

    @property
    def complete(self) -> bool:
        """Whether every key attribute is fixed to one value."""
        return self.open_slot is None and all(test.operator == "=" for test in self.sort)

    @property
    def sort_bound(self) -> bool:
        """Whether a parameter restricts the range of the sort key."""
        return any(
            not isinstance(operand, TextOperand) or any(not isinstance(atom, FixedText) for atom in operand.atoms)
            for test in self.sort
            for operand in test.operands
        )


def match_index(placement: Placement, bindings: Sequence[Binding]) -> IndexMatch:
    """Return the narrowest key condition that the predicates of a pattern form on the index of these keys."""
    matcher = _Matcher(bindings)
    partition = tuple(matcher.partition_test(part) for part in placement.partition)
    sort = tuple(matcher.sort_tests(placement.sort))
    mismatches = (*matcher.mismatches, *matcher.unserved(placement))
    fan_outs = tuple(dict.fromkeys(matcher.fan_outs))
    trims = tuple(trim for trim in matcher.trims.values() if trim.binding not in matcher.consumed)
    consumed = frozenset((*matcher.consumed, *matcher.trims))
    return IndexMatch(partition, sort, consumed, fan_outs, matcher.open_slot, mismatches, trims)


class _Matcher:
    """Matches the predicates of a pattern (its bindings) with the parts of an index key, from left to right."""

    def __init__(self, bindings: Sequence[Binding]) -> None:
        self.bindings = bindings
        self.consumed: set[Binding] = set()
        self.fan_outs: list[FanOut] = []
        self.mismatches: list[Mismatch] = []
        self.open_slot: OpenSlot | None = None
        self._known_derived: list[DerivedSlot] = []
        self.trims: dict[Binding, Trim] = {}
        """The bindings that a slot checks only to the precision of a unit of time.

        A later slot can still check them exactly.
        """

    def partition_test(self, part: KeyPart) -> KeyComparison:
        if isinstance(part, NativePart):
            binding = self._binding(part.field.name)
            if binding is None or binding.test is not Equal:
                self.mismatches.append(PartitionUnknown((part.field.name,), str(part)))
                return KeyComparison(part.attribute, "=", ())
            self.consumed.add(binding)
            return KeyComparison(part.attribute, "=", (NativeOperand(part, binding),))
        atoms = [self._atom(each) or self._spread(each, part) for each in part.template.parts]
        known = tuple(atom for atom in atoms if atom is not None)
        return KeyComparison(part.attribute, "=", (TextOperand(known),))

    def _atom(self, part: LiteralText | Slot) -> Atom | None:
        """Return the operand for one part of a key template, or None if its value is unknown."""
        if isinstance(part, LiteralText):
            return FixedText(part.text)
        if isinstance(part, FieldSlot):
            binding = self._binding(part.name)
            if binding is None or binding.test is not Equal:
                return None
            self.consumed.add(binding)
            return Encoded(binding, part)
        bindings = self._bindings(part.fields)
        reach = part.derived.reach(_tests(bindings))
        if reach is None or reach.count != 1:
            return None
        self._known_derived.append(part)
        self.consumed |= {each for each in bindings if part.derived.enforces(each.test)}
        self._trim(part, bindings)
        return DerivedText(part, bindings)

    def _trim(self, slot: DerivedSlot, bindings: tuple[Binding, ...]) -> None:
        """Record the bindings that the slot checks only to the precision of its unit of time."""
        if isinstance(slot.derived, TruncatedTime):
            covered = (binding for binding in bindings if slot.derived.covers(binding.test))
            self.trims |= {binding: Trim(binding, slot.derived.unit) for binding in covered}

    def _spread(self, part: LiteralText | Slot, key: TemplatePart) -> Atom | None:
        """Return a fan-out with one Query per possible value, or None if the values cannot be listed."""
        if isinstance(part, FieldSlot) and part.codec.domain is not None:
            size = len(part.codec.domain)
            what = f"{size} values of {part.name}"
            fan_out = FanOut(part.name, size, what, part.codec, (), part.language, part.codec.delimiter)
        elif isinstance(part, DerivedSlot) and (reach := part.derived.reach(self._tests_of(part))) is not None:
            bindings = self._bindings(part.fields)
            fan_out = FanOut(part.name, reach.count, reach.what, part.derived, bindings, part.language, part.delimiter)
            if isinstance(part.derived, TruncatedTime):
                self._trim(part, bindings)
            else:
                self.consumed |= {binding for binding in bindings if part.derived.covers(binding.test)}
        else:
            fields = part.fields if not isinstance(part, LiteralText) else ()
            self.mismatches.append(PartitionUnknown(fields, str(key)))
            return None
        self.fan_outs.append(fan_out)
        return fan_out

    def sort_tests(self, parts: Sequence[KeyPart]) -> Iterator[KeyComparison]:
        for part in parts:
            test = self._native_sort(part) if isinstance(part, NativePart) else self._template_sort(part)
            if test is not None:
                yield test
            if test is None or test.operator != "=":
                return

    def _native_sort(self, part: NativePart) -> KeyComparison | None:
        binding = self._binding(part.field.name)
        if binding is None:
            self.open_slot = OpenSlot(part, None)
            return None
        if binding.test is Equal:
            self.consumed.add(binding)
            return KeyComparison(part.attribute, "=", (NativeOperand(part, binding),))
        self.open_slot = OpenSlot(part, None)
        return self._outcome(native_range(part, binding), binding)

    def _template_sort(self, part: TemplatePart) -> KeyComparison | None:
        known: list[Atom] = []
        for each in part.template.parts:
            atom = self._atom(each)
            if atom is None:
                return self._open_sort(part, known, each)
            known.append(atom)
        return KeyComparison(part.attribute, "=", (TextOperand(tuple(known)),))

    def _open_sort(self, part: TemplatePart, known: list[Atom], each: LiteralText | Slot) -> KeyComparison | None:
        assert not isinstance(each, LiteralText), "the value of a literal is always known"
        self.open_slot = OpenSlot(part, each)
        if (binding := self._range_on(each)) is not None:
            if isinstance(each, FieldSlot):
                return self._outcome(template_range(part, tuple(known), each, binding), binding)
            if isinstance(each.derived, TruncatedTime) and each.derived.covers(binding.test):
                found = unit_range(part, tuple(known), each, binding)
                if not isinstance(found, KeyComparison):
                    return self._outcome(found, binding)
                self._trim(each, (binding,))
                return found
        if not known:
            return None
        return KeyComparison(part.attribute, "begins_with", (TextOperand(tuple(known)),))

    def _range_on(self, slot: Slot) -> Binding | None:
        """Return the range binding of a slot, unless the partition key already covers it.

        The children of a path form one range of the sort key only if the partition key fixes their depth.
        """
        binding = self._binding(slot.fields[0])
        if binding is None or binding in self.consumed or binding.test in AREA_TYPES:
            return None
        has_depth = any(isinstance(known.derived, Depth) for known in self._known_derived)
        return binding if binding.test is not Children or has_depth else None

    def _outcome(self, result: KeyComparison | Mismatch, binding: Binding) -> KeyComparison | None:
        self.consumed.add(binding)
        if isinstance(result, KeyComparison):
            return result
        self.mismatches.append(result)
        return None

    def unserved(self, placement: Placement) -> Iterator[Mismatch]:
        for binding in self.bindings:
            if binding in self.consumed or binding in self.trims:
                continue
            if binding.test is Present and set(binding.fields) <= placement.fields:
                continue
            in_key = any(set(binding.fields) <= part.comparable_fields for part in placement.parts)
            behind = str(self.open_slot) if in_key and self.open_slot else None
            if behind and self.open_slot and set(self.open_slot.fields) == set(binding.fields):
                behind = None
            yield NotServed(binding.test, binding.fields, behind)

    def _binding(self, field: str) -> Binding | None:
        sharp = (binding for binding in self.bindings if binding.test is not Present)
        return next((binding for binding in sharp if field in binding.fields), None)

    def _bindings(self, fields: tuple[str, ...]) -> tuple[Binding, ...]:
        found = (self._binding(name) for name in fields)
        return tuple(dict.fromkeys(binding for binding in found if binding is not None))

    def _tests_of(self, slot: DerivedSlot) -> dict[str, type]:
        return _tests(self._bindings(slot.fields))


def _tests(bindings: tuple[Binding, ...]) -> dict[str, type]:
    return {name: binding.test for binding in bindings for name in binding.fields}


def entities_in_range(design: Design, index: Index, tests: Iterable[KeyComparison]) -> tuple[Entity, ...]:
    """Return every entity that can have an item in the key range for at least one choice of arguments."""
    return design.entities_with_keys(index, {test.attribute: range_language(test) for test in tests})


def range_language(test: KeyComparison) -> Language:
    """Return a superset of the key texts that match a comparison for at least one choice of arguments."""
    operands = [operand for operand in test.operands if isinstance(operand, TextOperand)]
    if len(operands) != len(test.operands) or not operands:
        return ANYTHING
    match test.operator:
        case "=":
            return operands[0].language
        case "begins_with":
            return concat(operands[0].language, ANYTHING)
        case "BETWEEN":
            return _between(operands[0].atoms, operands[1].atoms)
        case ">=":
            return between(_lowest(operands[0].atoms), _LAST * 2)
        case "<=":
            return between("", _highest(operands[0].atoms))


def _between(low: tuple[Atom, ...], high: tuple[Atom, ...]) -> Language:
    shared = 0
    while shared < min(len(low), len(high)) and same_atom(low[shared], high[shared]):
        shared += 1
    stem = concat(*(atom.language for atom in low[:shared]))
    return concat(stem, between(_lowest(low[shared:]), _highest(high[shared:])))


def _lowest(atoms: tuple[Atom, ...]) -> str:
    """Return a lower bound for all texts that these parts of a key can form."""
    text = ""
    for atom in atoms:
        if not isinstance(atom, FixedText):
            return text + _first_text(atom)
        text += atom.text
    return text


def _highest(atoms: tuple[Atom, ...]) -> str:
    """Return an upper bound for all texts that these parts of a key can form."""
    text = ""
    for atom in atoms:
        if not isinstance(atom, FixedText):
            return text + (_last_text(atom) or "") + _LAST
        text += atom.text
    return text


def _last_text(atom: Atom) -> str | None:
    return atom.slot.last_text if isinstance(atom, Encoded | UnitBound) else None


def _first_text(atom: Atom) -> str:
    last = _last_text(atom)
    if last is None or not isinstance(atom, Encoded | UnitBound) or atom.slot.width is None:
        return ""
    return "".join("0" if character.isdigit() else character for character in last)
