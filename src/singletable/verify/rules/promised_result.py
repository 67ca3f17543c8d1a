"""ST120: a pattern promises the latest, top or all items in its name or docstring, but the read returns other items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal

from singletable.expressions.tree import Path, paths
from singletable.model.codecs.codec import SortOrder
from singletable.model.derived.truncated_time import TruncatedTime
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import is_identifier, is_score, is_time, words_of
from singletable.model.fields import NUMBER_TYPES, Field
from singletable.model.intents import CollectionIntent, QueryIntent
from singletable.model.key_template import DerivedSlot, FieldSlot, Slot, sorted_order
from singletable.model.keys import KeyPart, NativePart
from singletable.model.parameter_types import Equal
from singletable.model.pattern_declaration import CURSOR, LIMIT, PatternDeclaration
from singletable.planner.changed_designs import harms_nothing, is_served
from singletable.planner.formatting import format_count
from singletable.planner.key_proposals import new_index
from singletable.planner.operands import Encoded, NativeOperand, TextOperand
from singletable.planner.plan import Plan
from singletable.planner.remedies import ordered_keys
from singletable.planner.remedy import (
    Alternative,
    Edit,
    Remedy,
    RemoveKeyword,
    SetKeyword,
    SetParameter,
    body_place,
    pattern_place,
)
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST120", "result differs from the name", "warning")
_VERBS = frozenset({"get", "find", "fetch", "read", "list", "load", "show", "query", "the", "a", "return", "returns"})
_NEWEST = re.compile(r"\b(latest|newest|most recent)\b")
_TOP = re.compile(r"\b(top|highest|trending|most popular|most viewed|most liked|best[ -]?selling)\b(?! level| up\b)")
_BOTTOM = re.compile(r"\b(lowest|cheapest)\b")
_ALL = re.compile(r"(?<!of )(?<!in )(?<!above )\b(all|every)\b(?! time|-time| day| hour| month| week)")
_STATE = re.compile(
    r"\b(pending|active|inactive|unread|unpaid|archived|cancelled|canceled|completed|expired|shipped|approved)\b"
)
_RANK_WORDS = frozenset({"rank", "ranking", "position", "place"})
"""Names of numbers whose lowest value is the best value."""
_SAME_NAME = "The pattern then returns what its name promises."
_LAST_EXCEPT = frozenset({"name", "names", "week", "month", "day", "days", "year", "hour", "hours"})


@dataclass(frozen=True)
class Promise:
    """The order that the text of a pattern promises, and the word that promises it."""

    word: str
    of: Literal["time", "score"]
    descending: bool


@dataclass(frozen=True)
class ResultOrder:
    """The field by which a read sorts its result.

    `descending` is None if the keys do not sort by the field's values.
    """

    field: Field
    descending: bool | None


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find reads whose order or limit does not return what their name or docstring promises."""
    for plan in planned.plans:
        intent, text = plan.pattern.intent, _text(plan)
        if not isinstance(intent, QueryIntent | CollectionIntent):
            continue
        if isinstance(intent, QueryIntent):
            yield from _unfiltered(plan, intent, text)
        promise = _promise(plan, text)
        if promise is None and (said := _ALL.search(text)):
            yield from _cut(plan, said[0])
        if promise is not None and isinstance(intent, QueryIntent):
            yield from _misordered(planned.design, plan, promise)


def _text(plan: Plan) -> str:
    return f"{plan.pattern.name.replace('_', ' ')}. {plan.pattern.title}".lower()


def _promise(plan: Plan, text: str) -> Promise | None:
    if found := _NEWEST.search(text):
        return Promise(found[1], "time", descending=True)
    if found := _TOP.search(text):
        return Promise(found[1], "score", descending=True)
    if found := _BOTTOM.search(text):
        return Promise(found[1], "score", descending=False)
    words = [word for word in words_of(plan.pattern.name) if word not in _VERBS]
    if len(words) > 1 and words[0] == "last" and not _is_last_field(plan, words):
        return Promise("last", "time", descending=True)
    if len(words) > 1 and words[0] == "first" and words[1] not in _LAST_EXCEPT:
        return Promise("first", "time", descending=False)
    return None


def _is_last_field(plan: Plan, words: list[str]) -> bool:
    """Return whether "last" belongs to a period, such as the last week, or to a field name, such as last_login."""
    fields = {words_of(name)[:2] for entity in plan.entities for name in entity.fields}
    return words[1] in _LAST_EXCEPT or tuple(words[:2]) in fields


def _unfiltered(plan: Plan, intent: QueryIntent, text: str) -> Iterator[Finding]:
    """Yield a finding if a pattern promises the items in one state, but its read returns items in every state."""
    entity, found = plan.entities[0], _STATE.search(text)
    states = [field.name for field in entity.fields.values() if words_of(field.name)[-1:] in (("status",), ("state",))]
    tested = {str(path.steps[0]) for path in paths((intent.filter, intent.where))}
    if not found or not states or tested.intersection(states) or plan.fan_outs:
        return
    if any(found[1] in words_of(name) for name in tested):  # is_active, or cancelled_at
        return
    # A sparse index, or a key that contains the state as text, can contain only the items in one state.
    if entity.placements[plan.index.alias].sparse or _literal_says(plan, found[1]):
        return
    if {parameter.name for parameter in plan.pattern.bound_parameters}.isdisjoint(states):
        name = states[0]
        message = f'says "{found[1]}", but returns items with every {name}'
        remedy = (
            f'Put {{{name}}} into a key and add where=lambda item: item.{name} == "{found[1].upper()}" to '
            f"query({entity.label}, ...), or remove the word."
        )
        yield pattern_finding(RULE, plan.pattern, message, remedy)


def _cut(plan: Plan, word: str) -> Iterator[Finding]:
    """Yield a finding if a pattern promises all items, but a fixed limit hides the other items from the caller."""
    limit = plan.limit
    if limit is None or not isinstance(limit.count, int) or CURSOR in plan.pattern.parameters:
        return
    most = format_count(limit.count, "item")
    message = f'says "{word}", but returns at most {most}'
    removed, place = RemoveKeyword(body_place(plan.pattern), LIMIT), pattern_place(plan.pattern)
    if isinstance(plan.pattern.intent, CollectionIntent):
        explanation = "State in the name and docstring that the list is limited, or return the whole list."
        whole = Alternative((removed,), "The pattern then returns every item.", needs_decision=True)
        yield pattern_finding(RULE, plan.pattern, message, Remedy(explanation, (whole,)))
        return
    parameters = (SetParameter(place, LIMIT, f"int = {limit.count}"), SetParameter(place, CURSOR, "str | None = None"))
    paged = Alternative((removed, *parameters), "The caller can then read every page.")
    yield pattern_finding(RULE, plan.pattern, message, Remedy("", (paged,)))


def _misordered(design: Design, plan: Plan, promise: Promise) -> Iterator[Finding]:
    entity = plan.entities[0]
    if _full_key(plan, entity) or _literal_says(plan, promise.word):
        return
    order = _result_order(plan, entity)
    if order is None or not _is_of(order.field, promise):
        # "first" can mean the first item in any order, and many kinds of ids sort by the time of their creation.
        if promise.word == "first" or (promise.of == "time" and order is not None and _is_newest_id(order)):
            return
        sorted_by = "has no order" if order is None else f"sorts by {order.field.name}"
        yield _finding(plan, promise, f"{plan.index.display_name} {sorted_by}", _key_remedy(design, plan, promise))
        return
    ranges = {parameter.name for parameter in plan.pattern.bound_parameters if parameter.test is not Equal}
    if order.field.name in ranges:  # the caller chooses the range
        return
    # Rank 1 is the highest rank.
    wanted = promise.descending != bool(_RANK_WORDS & set(words_of(order.field.name)))
    if order.descending is None:
        yield _finding(
            plan,
            promise,
            f"{order.field.name} does not sort by value",
            _format_remedy(design, plan, order.field, wanted),
        )
    elif order.descending != wanted:
        first = "the highest value first" if order.descending else "the lowest value first"
        first = ("newest first" if order.descending else "oldest first") if promise.of == "time" else first
        yield _finding(plan, promise, f"the read returns {first}", _direction_remedy(plan, order.field, wanted))


def _finding(plan: Plan, promise: Promise, reason: str, remedy: Remedy) -> Finding:
    return pattern_finding(RULE, plan.pattern, f'says "{promise.word}", but {reason}', remedy)


def _is_of(field: Field, promise: Promise) -> bool:
    """Return whether sorting by a field can fulfil the promise."""
    if promise.of == "time":
        return is_time(field)
    return field.type in NUMBER_TYPES or is_score(field)


def _is_newest_id(order: ResultOrder) -> bool:
    return is_identifier(order.field) and order.descending is True


def _result_order(plan: Plan, entity: Entity) -> ResultOrder | None:
    """Return the first field of the sort key that the key condition does not fix, and its direction."""
    fixed = set(_fixed_fields(plan))
    for part in entity.placements[plan.index.alias].sort:
        for slot, order in _slots(part):
            names = part.fields if slot is None else slot.fields
            if fixed.issuperset(names):
                continue
            if isinstance(slot, DerivedSlot) and not isinstance(slot.derived, TruncatedTime):
                return None
            field = entity.fields[next(iter(names))]
            ascending = order is SortOrder.ASCENDING
            return ResultOrder(field, None if order is SortOrder.NONE else ascending != plan.forward)
    return None


def _slots(part: KeyPart) -> Iterator[tuple[Slot | None, SortOrder]]:
    if isinstance(part, NativePart):
        yield None, part.order
        return
    for slot in part.template.slots:
        yield slot, sorted_order(part.template, slot)[0]


def _fixed_fields(plan: Plan) -> Iterator[str]:
    for operand in (operand for test in plan.tests for operand in test.operands):
        for atom in operand.atoms if isinstance(operand, TextOperand) else (operand,):
            if isinstance(atom, Encoded | NativeOperand) and atom.binding.test is Equal:
                yield from atom.binding.fields


def _full_key(plan: Plan, entity: Entity) -> bool:
    return entity.placements[plan.index.alias].fields <= set(_fixed_fields(plan))


def _literal_says(plan: Plan, word: str) -> bool:
    """Return whether a key contains the promise as text, such as the sort key LATEST of a copy of the newest item."""
    return word in plan.key_condition().lower().replace("_", " ")


def _direction_remedy(plan: Plan, field: Field, descending: bool) -> Remedy:
    edits, _ = _directed(plan.pattern, field, descending)
    return Remedy("", (Alternative(edits, _SAME_NAME, needs_decision=True),))


def _directed(
    pattern: PatternDeclaration, field: Field, descending: bool
) -> tuple[tuple[Edit, ...], PatternDeclaration]:
    """Return the edits that make a query return the lowest or the highest value first, and the resulting pattern."""
    intent, place = pattern.intent, body_place(pattern)
    assert isinstance(intent, QueryIntent), "only queries have an order"
    edits: tuple[Edit, ...] = ()
    order_by = intent.order_by
    if field.type not in (date, datetime) and order_by is None:
        edits, order_by = (SetKeyword(place, "order_by", f"lambda item: item.{field.name}"),), Path((field.name,))
    is_time = field.type in (date, datetime)
    right, wrong = ("newest_first", "descending") if is_time else ("descending", "newest_first")
    if getattr(intent, wrong) or (intent.is_reversed and not descending):
        edits += (RemoveKeyword(place, wrong if getattr(intent, wrong) else right),)
    if descending and not getattr(intent, right):
        edits += (SetKeyword(place, right, "True"),)
    newest, highest = (descending, False) if is_time else (False, descending)
    ordered = replace(intent, order_by=order_by, newest_first=newest, descending=highest)
    return edits, replace(pattern, intent=ordered)


def _format_remedy(design: Design, plan: Plan, field: Field, descending: bool) -> Remedy:
    """Return the edit that writes a number in the sort key in a format that sorts by value."""
    entity = plan.entities[0]
    edits, ordered = _directed(plan.pattern, field, descending)
    slots = [
        str(slot)
        for part in entity.placements[plan.index.alias].sort
        for slot, _ in _slots(part)
        if isinstance(slot, FieldSlot) and slot.name == field.name
    ]
    for slot in slots[:1]:
        for keys, changed in ordered_keys(design, entity, slot):
            if is_served(changed, ordered) and harms_nothing(design, changed):
                return Remedy("", (Alternative((*keys, *edits), _SAME_NAME, needs_decision=True),))
    return Remedy(f"Write {{{field.name}:number}} in the sort key, which sorts by value.")


def _key_remedy(design: Design, plan: Plan, promise: Promise) -> Remedy:
    """Return the keys of an index with the promised order."""
    entity = plan.entities[0]
    fields = [field for field in entity.fields.values() if not field.optional and _is_of(field, promise)]
    if len(fields) != 1:
        kind = "a datetime" if promise.of == "time" else "a number"
        return Remedy(
            f"Put {kind} first in the sort key of an index, and sort by it with newest_first= or descending=."
        )
    (field,) = fields
    edits, ordered = _directed(plan.pattern, field, promise.descending)
    served = tuple(
        replace(each, edits=(*each.edits, *edits), effect=f"{_SAME_NAME} {each.effect}".rstrip(), needs_decision=True)
        for each in new_index(design, ordered)
    )
    spec = ":number" if field.type in NUMBER_TYPES else ""
    return Remedy("" if served else f"Put {{{field.name}{spec}}} first in the sort key of an index.", served)
