"""Ranges of a sort key: each range type as a key test that holds what it should and no neighbour."""

from __future__ import annotations

from singletable.model.binding import Binding
from singletable.model.codecs.codec import Order
from singletable.model.codecs.path import PathCodec
from singletable.model.codecs.text import ORDERED_DELIMITER, TextCodec, range_end
from singletable.model.keys import NativePart, TemplatePart
from singletable.model.ranges import Between, Children, Prefix, Since, Subtree, Until
from singletable.model.template import FieldSlot, sorted_order
from singletable.planner.obstacles import NotServed, Obstacle, Unordered
from singletable.planner.operands import (
    Atom,
    Encoded,
    KeyTest,
    NativeOperand,
    Operand,
    ParentPath,
    PrefixText,
    Text,
    TextOperand,
)


def native_test(part: NativePart, binding: Binding) -> KeyTest | Obstacle:
    """A range of a native attribute, which DynamoDB sorts by value."""
    if binding.test is Prefix:
        if part.type != "S" or part.codec is not None:
            return NotServed(binding.test, binding.fields)
        return KeyTest(part.attribute, "begins_with", (NativeOperand(part, binding, "start"),))
    if part.order is not Order.ASCENDING:
        return Unordered(part.field.name, part.codec.unordered_reason if part.codec else "")
    low, high = NativeOperand(part, binding, "low"), NativeOperand(part, binding, "high")
    return _test(
        part.attribute, low if binding.test is not Until else None, high if binding.test is not Since else None
    )


def range_test(part: TemplatePart, known: tuple[Atom, ...], slot: FieldSlot, binding: Binding) -> KeyTest | Obstacle:
    """A range of a field inside a template, after everything before it is known."""
    if binding.test is Prefix:
        if not (isinstance(slot.codec, TextCodec) or slot.codec.raw):
            return NotServed(binding.test, binding.fields)
        return KeyTest(part.attribute, "begins_with", (TextOperand((*known, PrefixText(binding, slot))),))
    if binding.test in (Subtree, Children):
        return _tree_test(part, known, slot, binding)
    order, reason = sorted_order(part.template, slot)
    if order is Order.NONE:
        return Unordered(str(slot), reason)
    return _ordered_test(part, known, slot, binding, order)


def _ordered_test(
    part: TemplatePart, known: tuple[Atom, ...], slot: FieldSlot, binding: Binding, order: Order
) -> KeyTest | Obstacle:
    delimiter = part.template.delimiter
    first, last = ("low", "high") if order is Order.ASCENDING else ("high", "low")
    has_first = binding.test is Between or binding.test is (Since if first == "low" else Until)
    has_last = binding.test is Between or binding.test is (Since if last == "low" else Until)
    # Raw text is the last part of its key, so nothing follows it and it ends by itself.
    closing = () if slot.codec.raw else (Text(range_end(delimiter)),)
    start: Operand | None = TextOperand(known) if known else None
    end = _end_of(known, slot, delimiter)
    if has_first:
        start = TextOperand((*known, Encoded(binding, slot, first)))  # type: ignore[arg-type]  # low or high
    if has_last:
        end = TextOperand((*known, Encoded(binding, slot, last), *closing))  # type: ignore[arg-type]  # low or high
    if end is None and known:
        return Unordered(str(slot), "text of any length after a literal in the same segment has no last value")
    return _test(part.attribute, start, end)


def _end_of(known: tuple[Atom, ...], slot: FieldSlot, delimiter: str) -> TextOperand | None:
    """Where the keys that begin with the known part end; None when only the partition ends them."""
    tail = known[-1] if known else None
    if isinstance(tail, Text) and tail.text.endswith(delimiter):
        return TextOperand((*known[:-1], Text(tail.text.removesuffix(delimiter) + range_end(delimiter))))
    if slot.codec.last_text is not None:
        return TextOperand((*known, Text(slot.codec.last_text + range_end(delimiter))))
    return None


def _tree_test(part: TemplatePart, known: tuple[Atom, ...], slot: FieldSlot, binding: Binding) -> KeyTest | Obstacle:
    delimiter = part.template.delimiter
    if not isinstance(slot.codec, PathCodec):
        return NotServed(binding.test, binding.fields)
    if binding.test is Children:  # the depth is in the partition, so this is all that is below, one level deep
        return KeyTest(part.attribute, "begins_with", (TextOperand((*known, ParentPath(binding, slot))),))
    if delimiter != ORDERED_DELIMITER:
        reason = f"a path and what is below it are no range behind the delimiter {delimiter!r}; with '#' they are one"
        return Unordered(str(slot), reason)
    root = Encoded(binding, slot, "root")
    end = TextOperand((*known, root, Text(range_end(delimiter))))
    return KeyTest(part.attribute, "BETWEEN", (TextOperand((*known, root)), end))


def _test(attribute: str, start: Operand | None, end: Operand | None) -> KeyTest:
    if start is not None and end is not None:
        return KeyTest(attribute, "BETWEEN", (start, end))
    if start is not None:
        return KeyTest(attribute, ">=", (start,))
    assert end is not None, "a range has at least one end"
    return KeyTest(attribute, "<=", (end,))
