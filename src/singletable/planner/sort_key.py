"""Sort keys: key comparisons for each range type, and the order in which an index returns items."""

from __future__ import annotations

from datetime import date, datetime

from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.path_codec import PathCodec
from singletable.model.codecs.text_codec import ORDERED_DELIMITER, TextCodec, range_end
from singletable.model.derived.truncated_time import UNITS, TruncatedTime
from singletable.model.entity import Entity
from singletable.model.fields import NUMBER_TYPES
from singletable.model.key_template import DerivedSlot, FieldSlot, Slot, sorted_order
from singletable.model.keys import KeyPart, NativePart, TemplatePart
from singletable.model.parameter_binding import Binding
from singletable.model.parameter_types import Between, Children, Prefix, Since, Subtree, Until
from singletable.planner.mismatches import Mismatch, NotServed, Unordered, WrongOrder
from singletable.planner.operands import (
    Atom,
    Encoded,
    FixedText,
    KeyComparison,
    NativeOperand,
    Operand,
    ParentPath,
    Pick,
    PrefixText,
    TextOperand,
    UnitBound,
)


@dataclass(frozen=True)
class OpenSlot:
    """The first slot of a sort key whose value no parameter or constant determines.

    The results are sorted by this slot.
    """

    part: KeyPart
    slot: Slot | None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields in the slot."""
        return self.slot.fields if self.slot is not None else tuple(self.part.fields)

    def __str__(self) -> str:
        return str(self.slot) if self.slot is not None else str(self.part)


def native_range(part: NativePart, binding: Binding) -> KeyComparison | Mismatch:
    """Return the comparison for a range of a native attribute, which DynamoDB sorts by value."""
    if binding.test is Prefix:
        if part.type != "S" or part.codec is not None:
            return NotServed(binding.test, binding.fields)
        return KeyComparison(part.attribute, "begins_with", (NativeOperand(part, binding, "start"),))
    if part.order is not SortOrder.ASCENDING:
        return Unordered(part.field.name, part.codec.unordered_reason if part.codec else "")
    low, high = NativeOperand(part, binding, "low"), NativeOperand(part, binding, "high")
    return _test(
        part.attribute, low if binding.test is not Until else None, high if binding.test is not Since else None
    )


def template_range(
    part: TemplatePart, known: tuple[Atom, ...], slot: FieldSlot, binding: Binding
) -> KeyComparison | Mismatch:
    """Return the comparison for a range of a field in a template. The values of all preceding slots are known."""
    if binding.test is Prefix:
        if not (isinstance(slot.codec, TextCodec) or slot.codec.raw):
            return NotServed(binding.test, binding.fields)
        return KeyComparison(part.attribute, "begins_with", (TextOperand((*known, PrefixText(binding, slot))),))
    if binding.test in (Subtree, Children):
        return _tree_test(part, known, slot, binding)
    order, reason = sorted_order(part.template, slot)
    if order is SortOrder.NONE:
        return Unordered(str(slot), reason)
    return _ordered_test(part, known, slot, binding, order)


def unit_range(
    part: TemplatePart, known: tuple[Atom, ...], slot: DerivedSlot, binding: Binding
) -> KeyComparison | Mismatch:
    """Return the comparison for a time range, if the key contains only the truncated time.

    The comparison covers all units from the first to the last, such as whole days.
    """
    order, reason = sorted_order(part.template, slot)
    if order is SortOrder.NONE:
        return Unordered(str(slot), reason)
    return _ordered_test(part, known, slot, binding, order)


def _ordered_test(
    part: TemplatePart, known: tuple[Atom, ...], slot: Slot, binding: Binding, order: SortOrder
) -> KeyComparison | Mismatch:
    delimiter = part.template.delimiter
    first: Pick = "low" if order is SortOrder.ASCENDING else "high"
    last: Pick = "high" if order is SortOrder.ASCENDING else "low"
    has_first = binding.test is Between or binding.test is (Since if first == "low" else Until)
    has_last = binding.test is Between or binding.test is (Since if last == "low" else Until)
    # Raw text is the last part of its key, so the range needs no delimiter at its end.
    closing = () if isinstance(slot, FieldSlot) and slot.codec.raw else (FixedText(range_end(delimiter)),)
    start: Operand | None = TextOperand(known) if known else None
    end = _end_of(known, slot, delimiter)
    if has_first:
        start = TextOperand((*known, _bound(binding, slot, first)))
    if has_last:
        end = TextOperand((*known, _bound(binding, slot, last), *closing))
    if end is None and known:
        return Unordered(str(slot), "text of variable length after a literal in the same segment has no greatest value")
    return _test(part.attribute, start, end)


def _bound(binding: Binding, slot: Slot, pick: Pick) -> Atom:
    return Encoded(binding, slot, pick) if isinstance(slot, FieldSlot) else UnitBound(binding, slot, pick)


def _end_of(known: tuple[Atom, ...], slot: Slot, delimiter: str) -> TextOperand | None:
    """Return the upper bound of all keys that begin with the known part, or None if there is no such bound."""
    tail = known[-1] if known else None
    if isinstance(tail, FixedText) and tail.text.endswith(delimiter):
        return TextOperand((*known[:-1], FixedText(tail.text.removesuffix(delimiter) + range_end(delimiter))))
    if slot.last_text is not None:
        return TextOperand((*known, FixedText(slot.last_text + range_end(delimiter))))
    return None


def _tree_test(
    part: TemplatePart, known: tuple[Atom, ...], slot: FieldSlot, binding: Binding
) -> KeyComparison | Mismatch:
    delimiter = part.template.delimiter
    if not isinstance(slot.codec, PathCodec):
        return NotServed(binding.test, binding.fields)
    if binding.test is Children:  # the partition key fixes the depth, so the prefix matches only the next level
        return KeyComparison(part.attribute, "begins_with", (TextOperand((*known, ParentPath(binding, slot))),))
    if delimiter != ORDERED_DELIMITER:
        reason = f"with the delimiter {delimiter!r} a subtree is not one range of keys; use '#'"
        return Unordered(str(slot), reason)
    root = Encoded(binding, slot, "root")
    end = TextOperand((*known, root, FixedText(range_end(delimiter))))
    return KeyComparison(part.attribute, "BETWEEN", (TextOperand((*known, root)), end))


def _test(attribute: str, start: Operand | None, end: Operand | None) -> KeyComparison:
    if start is not None and end is not None:
        return KeyComparison(attribute, "BETWEEN", (start, end))
    if start is not None:
        return KeyComparison(attribute, ">=", (start,))
    assert end is not None, "a range has at least one end"
    return KeyComparison(attribute, "<=", (end,))


@dataclass(frozen=True)
class ReadOrder:
    """The direction in which to read an index, and the resulting order as text."""

    forward: bool
    words: str
    mismatch: Mismatch | None = None
    unit: str | None = None
    """The unit of time, such as `second`, within which other parts of the key determine the order."""


def read_order(
    entity: Entity, open_slot: OpenSlot | None, order_by: str | None, newest_first: bool, descending: bool = False
) -> ReadOrder:
    """Return the direction in which an index returns the requested order, or the mismatch if no direction does."""
    is_reversed = newest_first or descending
    if open_slot is None:
        return ReadOrder(not is_reversed, "")
    is_requested = order_by is not None or is_reversed
    fields = open_slot.fields
    is_time = len(fields) == 1 and entity.fields[fields[0]].type in (datetime, date)
    if order_by is not None and fields != (order_by,):
        return ReadOrder(True, "", WrongOrder(f"order by {order_by}", str(open_slot)))
    if newest_first and not is_time:
        is_number = all(entity.fields[name].type in NUMBER_TYPES for name in fields)
        actual = f"{open_slot}, which is not a date or datetime"
        return ReadOrder(True, "", WrongOrder("newest-first order", actual, is_number))
    order, reason = _order_of(open_slot)
    if order is SortOrder.NONE:
        return ReadOrder(True, "key order", Unordered(str(open_slot), reason) if is_requested else None)
    forward = (order is SortOrder.ASCENDING) != is_reversed if is_requested else True
    words = _words(fields[0], is_time, forward == (order is SortOrder.ASCENDING))
    unit = unit_of_order(open_slot)
    return ReadOrder(forward, words if unit is None else f"{words}, to the {unit}", unit=unit)


def unit_of_order(open_slot: OpenSlot) -> str | None:
    """Return the unit of time, such as `second`, within which other parts of the key determine the order.

    The result is None if the results have the exact order, as with `{created_at:days}#{created_at}`.
    """
    slot = open_slot.slot
    if slot is None or isinstance(open_slot.part, NativePart) or not _is_unit(slot):
        return None
    template = open_slot.part.template
    order = sorted_order(template, slot)[0]
    units: list[TruncatedTime] = []
    for each in template.slots[template.slots.index(slot) :]:
        if each.fields != slot.fields or sorted_order(template, each)[0] is not order:
            break
        if isinstance(each, FieldSlot):
            return None
        units += [each.derived] if isinstance(each.derived, TruncatedTime) else []
    return max(units, key=lambda each: UNITS.index(each.unit)).unit


def _is_unit(slot: Slot) -> bool:
    return isinstance(slot, DerivedSlot) and isinstance(slot.derived, TruncatedTime)


def _order_of(open_slot: OpenSlot) -> tuple[SortOrder, str]:
    if isinstance(open_slot.part, NativePart):
        codec = open_slot.part.codec
        return open_slot.part.order, codec.unordered_reason if codec is not None else ""
    assert open_slot.slot is not None, "a template that is not fixed has an open slot"
    return sorted_order(open_slot.part.template, open_slot.slot)


def _words(field: str, is_time: bool, ascending: bool) -> str:
    if is_time:
        return "oldest first" if ascending else "newest first"
    return f"by {field}" if ascending else f"by {field}, descending"
