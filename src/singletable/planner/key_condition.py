"""Walks an entity's keys in one index and turns bindings into a key condition, as far as they reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from singletable.model.areas import AREA_TYPES
from singletable.model.binding import Binding
from singletable.model.derived.tree import Depth
from singletable.model.keys import KeyPart, NativePart, Placement, TemplatePart
from singletable.model.ranges import Children, Equal, Present
from singletable.model.template import DerivedSlot, FieldSlot, Literal, Slot
from singletable.planner.obstacles import NotServed, Obstacle, PartitionUnknown
from singletable.planner.operands import (
    Atom,
    Computed,
    Encoded,
    KeyTest,
    NativeOperand,
    Spread,
    Text,
    TextOperand,
)
from singletable.planner.ranges import native_test, range_test


@dataclass(frozen=True)
class Varying:
    """The first place of a sort key that the bindings leave open: what the answer is sorted by."""

    part: KeyPart
    slot: Slot | None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that vary first."""
        return self.slot.fields if self.slot is not None else tuple(self.part.fields)

    def __str__(self) -> str:
        return str(self.slot) if self.slot is not None else str(self.part)


@dataclass(frozen=True)
class KeyCondition:
    """What the bindings make of an entity's keys in one index."""

    partition: tuple[KeyTest, ...] = ()
    sort: tuple[KeyTest, ...] = ()
    consumed: frozenset[Binding] = frozenset()
    spreads: tuple[Spread, ...] = ()
    varying: Varying | None = None
    obstacles: tuple[Obstacle, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every key attribute is fixed to one value."""
        return self.varying is None and all(test.operator == "=" for test in self.sort)

    @property
    def sort_bound(self) -> bool:
        """Whether a parameter narrows the sort key."""
        return any(
            not isinstance(operand, TextOperand) or any(not isinstance(atom, Text) for atom in operand.atoms)
            for test in self.sort
            for operand in test.operands
        )


def key_condition(placement: Placement, bindings: Sequence[Binding]) -> KeyCondition:
    """The narrowest key condition that the bindings give in this index."""
    walk = _Walk(bindings)
    partition = tuple(walk.partition_test(part) for part in placement.partition)
    sort = tuple(walk.sort_tests(placement.sort))
    obstacles = (*walk.obstacles, *walk.unserved(placement))
    spreads = tuple(dict.fromkeys(walk.spreads))
    return KeyCondition(partition, sort, frozenset(walk.consumed), spreads, walk.varying, obstacles)


class _Walk:
    """The state of one walk along the keys, left to right."""

    def __init__(self, bindings: Sequence[Binding]) -> None:
        self.bindings = bindings
        self.consumed: set[Binding] = set()
        self.spreads: list[Spread] = []
        self.obstacles: list[Obstacle] = []
        self.varying: Varying | None = None
        self._known_derived: list[DerivedSlot] = []

    def partition_test(self, part: KeyPart) -> KeyTest:
        if isinstance(part, NativePart):
            binding = self._binding(part.field.name)
            if binding is None or binding.test is not Equal:
                self.obstacles.append(PartitionUnknown((part.field.name,), str(part)))
                return KeyTest(part.attribute, "=", ())
            self.consumed.add(binding)
            return KeyTest(part.attribute, "=", (NativeOperand(part, binding),))
        atoms = [self._atom(each) or self._spread(each, part) for each in part.template.parts]
        known = tuple(atom for atom in atoms if atom is not None)
        return KeyTest(part.attribute, "=", (TextOperand(known),))

    def _atom(self, part: Literal | Slot) -> Atom | None:
        """The part as an operand's atom when what it needs is known."""
        if isinstance(part, Literal):
            return Text(part.text)
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
        return Computed(part, bindings)

    def _spread(self, part: Literal | Slot, key: TemplatePart) -> Atom | None:
        """The part as one Query for each of its values, when they can be counted."""
        if isinstance(part, FieldSlot) and part.codec.domain is not None:
            size = len(part.codec.domain)
            what = f"{size} values of {part.name}"
            spread = Spread(part.name, size, what, part.codec, (), part.language, part.codec.delimiter)
        elif isinstance(part, DerivedSlot) and (reach := part.derived.reach(self._tests_of(part))) is not None:
            bindings = self._bindings(part.fields)
            spread = Spread(part.name, reach.count, reach.what, part.derived, bindings, part.language, part.delimiter)
            self.consumed |= {binding for binding in bindings if part.derived.covers(binding.test)}
        else:
            fields = part.fields if not isinstance(part, Literal) else ()
            self.obstacles.append(PartitionUnknown(fields, str(key)))
            return None
        self.spreads.append(spread)
        return spread

    def sort_tests(self, parts: Sequence[KeyPart]) -> Iterator[KeyTest]:
        for part in parts:
            test = self._native_sort(part) if isinstance(part, NativePart) else self._template_sort(part)
            if test is not None:
                yield test
            if test is None or test.operator != "=":
                return

    def _native_sort(self, part: NativePart) -> KeyTest | None:
        binding = self._binding(part.field.name)
        if binding is None:
            self.varying = Varying(part, None)
            return None
        if binding.test is Equal:
            self.consumed.add(binding)
            return KeyTest(part.attribute, "=", (NativeOperand(part, binding),))
        self.varying = Varying(part, None)
        return self._outcome(native_test(part, binding), binding)

    def _template_sort(self, part: TemplatePart) -> KeyTest | None:
        known: list[Atom] = []
        for each in part.template.parts:
            atom = self._atom(each)
            if atom is None:
                return self._open_sort(part, known, each)
            known.append(atom)
        return KeyTest(part.attribute, "=", (TextOperand(tuple(known)),))

    def _open_sort(self, part: TemplatePart, known: list[Atom], each: Literal | Slot) -> KeyTest | None:
        assert not isinstance(each, Literal), "a literal is always known"
        self.varying = Varying(part, each)
        if isinstance(each, FieldSlot) and (binding := self._range_on(each)) is not None:
            return self._outcome(range_test(part, tuple(known), each, binding), binding)
        if not known:
            return None
        return KeyTest(part.attribute, "begins_with", (TextOperand(tuple(known)),))

    def _range_on(self, slot: FieldSlot) -> Binding | None:
        """The range that a parameter gives, unless a parent in the partition has served it already.

        The children of a path are a range of the sort key only where the partition fixes their depth.
        """
        binding = self._binding(slot.name)
        if binding is None or binding in self.consumed or binding.test in AREA_TYPES:
            return None
        has_depth = any(isinstance(known.derived, Depth) for known in self._known_derived)
        return binding if binding.test is not Children or has_depth else None

    def _outcome(self, result: KeyTest | Obstacle, binding: Binding) -> KeyTest | None:
        self.consumed.add(binding)
        if isinstance(result, KeyTest):
            return result
        self.obstacles.append(result)
        return None

    def unserved(self, placement: Placement) -> Iterator[Obstacle]:
        for binding in self.bindings:
            if binding in self.consumed or (binding.test is Present and set(binding.fields) <= placement.fields):
                continue
            in_key = any(set(binding.fields) <= part.exact_fields for part in placement.parts)
            behind = str(self.varying) if in_key and self.varying else None
            if behind and self.varying and set(self.varying.fields) == set(binding.fields):
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
