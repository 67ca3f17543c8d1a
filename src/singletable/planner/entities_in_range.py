"""Compute which entities a key range can contain, to prove that it contains only the expected entities."""

from __future__ import annotations

from collections.abc import Iterable

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.regular_language import ANYTHING, Language, between, concat
from singletable.model.table_schema import Index
from singletable.planner.operands import Atom, Encoded, FixedText, KeyComparison, TextOperand, UnitBound, same_atom

_LAST = "\U0010ffff"


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
