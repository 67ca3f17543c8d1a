"""Random writes of random classes: every accepted write can be read back, and no invalid value is stored.

The oracle is the entity's own reader. It reads the item that a write would store, and so decides whether the write is
valid.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from functools import reduce
from random import Random
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st

from singletable import (
    AlreadyExists,
    ArgumentRefused,
    ConditionFailed,
    DesignError,
    InvalidValue,
    ItemRefused,
    KeyRefused,
    NotUnique,
    RequestRefused,
    TransactionCancelled,
    field,
    key,
)
from singletable.model.type_codecs import BUILT_IN
from singletable.planner.stored_items import field_value, item_of, stored_value, values_of
from singletable.values.attribute_value import fits, number_text
from tests.client.between import between
from tests.client.places import Place, call
from tests.client.write.random_models import (
    IDS,
    FieldSpec,
    Model,
    RandomTable,
    ValueType,
    junk,
    random_table,
    tamper,
)

pytestmark = pytest.mark.slow

WRITES = frozenset(("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"))
REJECTIONS = (ArgumentRefused, KeyRefused)
"""The errors for values that are not stored. InvalidValue is one of them."""
UNREADABLE = (ItemRefused, *REJECTIONS)
EXACT = Context(prec=300)
EXAMPLES_MIN = 300
STEPS_MIN, STEPS_MAX = 3, 10

Item = dict[str, Any]
Action = Literal["set", "remove", "add", "append", "discard"]


class Member(str):
    """The key of a dict as a step of a path. Other texts are names of fields."""

    __slots__ = ()


Steps = tuple[str | int, ...]


class NotApplicable(Exception):
    """The stored item has no such path or number. DynamoDB rejects the update, for any rules of the class."""


@dataclass(frozen=True)
class Change:
    """A change of an update, before it is passed to the library."""

    action: Action
    steps: Steps
    type: ValueType
    spec: FieldSpec | None
    """The field at the end of the path. None for an element of a list or a member of a dict."""
    value: Any = None

    def __repr__(self) -> str:
        return f"{self.action} {self.steps} {self.value!r}"

    @property
    def has_condition(self) -> bool:
        """Return whether DynamoDB checks a part of the rules."""
        return self.action in ("add", "append") or any(isinstance(step, int) for step in self.steps)

    @property
    def removes_required(self) -> bool:
        """Return whether the change removes a field without a default."""
        return self.action == "remove" and self.spec is not None and self.spec.default is None

    def made(self, cls: Any) -> Any:
        """Return the change in the form that the library takes; raise DesignError for an invalid change."""
        reference: Any = field(cls, lambda o: reduce(_step_into, self.steps, o))
        return reference.remove() if self.action == "remove" else getattr(reference, self.action)(self.value)


def _step_into(value: Any, step: str | int) -> Any:
    """Return the value at a step of an object or of its record."""
    if isinstance(step, int | Member):
        return value[step if isinstance(step, int) else str(step)]
    return getattr(value, step)


def _stored_at(value: Item, step: str | int) -> Item:
    """Return the value at a step of a stored list or map. Raise NotApplicable if there is none."""
    members = value.get("L" if isinstance(step, int) else "M")
    if members is None or (step >= len(members) if isinstance(step, int) else step not in members):
        raise NotApplicable
    found: Item = members[step]
    return found


class Oracle:
    """Uses the entity's reader to decide the correct result of a write."""

    def __init__(self, table: Any) -> None:
        self.design = table.design
        (self.entity,) = table.design.entities
        self.read: Callable[[Item], Any] = table._opened().reader.item_types.decoder(self.entity).read
        fields = self.entity.attributes.values()
        indexes = [each for each in self.entity.placements.values() if not each.index.is_table]
        self._index_keys = {part.attribute for each in indexes for part in each.parts} - {*fields}

    def item(self, value: Any) -> Item:
        """Return the item of an object. Raise an error of REJECTIONS for an object that has no item."""
        item = item_of(self.design, self.entity, values_of(self.entity, value))
        _check_text(item)
        return item

    def index_keys(self, item: Item) -> Item:
        """Return the attributes of an item that only indexes have."""
        return {name: value for name, value in item.items() if name in self._index_keys}

    def is_same(self, one: Any, other: Any) -> bool:
        """Return whether two objects are equal, including the fields that `==` does not compare."""
        fields = values_of(self.entity, one) == values_of(self.entity, other)
        return fields and _is_same(self.item(one), self.item(other))

    def is_settled(self, value: Any) -> bool:
        """Return whether a write and a read leave an object unchanged, as they do for every valid object."""
        try:
            return self.is_same(self.read(self.item(value)), value)
        except UNREADABLE:
            return False

    def stored_form(self, value: Any) -> Any:
        """Return the object that a read returns after a write of an object. Return None for an invalid object."""
        try:
            made = self.read(self.item(value))
            is_valid = _is_same(self.item(made), self.item(self.read(self.item(made))))
        except UNREADABLE:
            return None
        return made if is_valid else None

    def is_settled_at(self, item: Item, change: Change) -> bool:
        """Return whether a changed value is stored in its validated form, so that a read returns it unchanged."""
        path = self._path(change)
        try:
            stored: Item = reduce(_stored_at, path, {"M": item})
            again: Item = reduce(_stored_at, path, {"M": self.item(self.read(item))})
        except NotApplicable:  # the value was removed, or is a default that is not stored
            return True
        if change.action == "append":  # the other elements may come from another program
            count = len(change.value)
            stored, again = ({"L": each["L"][len(each["L"]) - count :]} for each in (stored, again))
        if change.action == "add" and "N" in stored:  # DynamoDB's sum can have more digits than a float
            return float(stored["N"]) == float(again["N"])
        return change.action == "remove" or _agrees(stored, again)

    def after(self, item: Item, changes: Sequence[Change]) -> Any:
        """Return the object after an update. Return None if the update must be rejected; raise NotApplicable."""
        after = {name: value for name, value in copy.deepcopy(item).items() if name not in self._index_keys}
        before, is_valid = self.read(item), True
        for change in changes:
            try:
                self._apply(after, before, change)
            except REJECTIONS:
                is_valid = False
        try:
            _check_text(after)
            made = self.read(after)
            self.item(made)
        except UNREADABLE:
            return None
        return made if is_valid else None

    def _path(self, change: Change) -> Steps:
        """Return the path in attribute names."""
        return self.entity.attributes[str(change.steps[0])], *change.steps[1:]

    def _apply(self, item: Item, before: Any, change: Change) -> None:
        *outer, last = self._path(change)
        container = reduce(_stored_at, outer, {"M": item})
        members: Any = container.get("L" if isinstance(last, int) else "M")
        if members is None:
            raise NotApplicable
        if isinstance(last, int) and last >= len(members):
            raise ArgumentRefused("no such element")
        if change.action in ("set", "remove"):
            stored = self._set(change) if change.action == "set" else None
        else:
            stored = self._combined(members.get(last), reduce(_step_into, change.steps, before), change)
        if stored is not None:
            members[last] = stored
        elif isinstance(last, int):
            del members[last]
        else:
            members.pop(last, None)

    def _set(self, change: Change) -> Item | None:
        spec = change.spec
        if change.value is None and spec is not None and spec.is_none_without:
            return None
        return self._encoded(change, change.value)

    def _encoded(self, change: Change, value: Any) -> Item | None:
        """Return the stored form of a value. Return None if it is not stored; raise an error of REJECTIONS."""
        if len(change.steps) == 1:
            return field_value(self.entity, str(change.steps[0]), value)
        if isinstance(value, set | frozenset) and not value and change.spec is not None:
            return None if change.spec.is_empty_without else {"L": []}
        return stored_value(value, BUILT_IN)

    def _combined(self, stored: Item | None, current: Any, change: Change) -> Item | None:
        """Return a number, list or set after an addition or removal. `stored` is None for a default."""
        if stored == {"NULL": True}:
            raise NotApplicable
        if change.action == "append":
            added = self._encoded(change, change.value) or {}
            if "L" not in added:
                raise ArgumentRefused("not a list")
            elements = stored_value(list(current or ()), BUILT_IN) if stored is None else stored
            return {"L": [*elements["L"], *added["L"]]}
        if change.type.shape == "set":
            if change.action == "discard" and stored is None and not current:
                _changed_set(frozenset(), change)  # raises an error for a wrong argument
                return None  # there is no member to remove
            return self._encoded(change, _changed_set(frozenset(current or ()), change))
        added = stored_value(change.value, BUILT_IN)
        if "N" not in added:
            raise ArgumentRefused("not a number")
        number = stored_value(current or 0, BUILT_IN) if stored is None else stored
        total = EXACT.add(Decimal(number["N"]), Decimal(added["N"]))
        if not fits(total):
            raise NotApplicable
        return {"N": number_text(total)}


def _changed_set(current: frozenset[Any], change: Change) -> frozenset[Any]:
    members = change.value
    if not isinstance(members, set | frozenset) or not members:
        raise ArgumentRefused("not a set with members")
    stored_value(members, BUILT_IN)
    return current | members if change.action == "add" else current - members


def _check_text(item: Item) -> None:
    """Raise ArgumentRefused for text that has no UTF-8 form."""
    try:
        msgspec.json.encode(item)
    except UnicodeEncodeError as problem:
        raise ArgumentRefused("not UTF-8") from problem


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two stored values are equal. The members of sets have no order, and numbers have several forms."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return False
        if one.keys() == {"N"}:
            return Decimal(one["N"]) == Decimal(other["N"])
        if len(one) == 1 and one.keys() <= {"SS", "NS", "BS"}:
            return all(set(one[kind]) == set(other[kind]) for kind in one)
        return all(_is_same(each, other[name]) for name, each in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other)


def _agrees(one: Item, other: Item) -> bool:
    """Return whether two stored values are equal in the members that both have."""
    if one.keys() == other.keys() == {"M"}:
        both = one["M"].keys() & other["M"].keys()
        return all(_agrees(one["M"][name], other["M"][name]) for name in both)
    if one.keys() == other.keys() == {"L"}:
        return len(one["L"]) == len(other["L"]) and all(map(_agrees, one["L"], other["L"]))
    return _is_same(one, other)


class Trial:
    """Random writes to one table, each checked against the oracle."""

    def __init__(self, table: Any, made: RandomTable, random: Random, *, place: Place) -> None:
        self.table, self.made, self.random = table, made, random
        self.model: Model = made.model
        self.cls = made.model.cls
        self.oracle = Oracle(table)
        self.transport = between(table)
        self.has_transactions = place.has("transactions")
        self.compares_maps = place.has("equal maps and lists")

    # The stored items

    def items(self) -> dict[str, Item]:
        """Return the stored items by their partition keys, without the markers of unique values."""
        found = call(self.table, "Scan", ConsistentRead=True)["Items"]
        return {item["PK"]["S"]: item for item in found if item["SK"] == {"S": "META"}}

    def read(self, id: str) -> Any:
        """Return the object that a read by key returns."""
        return self.table.get(key(self.cls, id=id), consistent=True)

    def check_items(self) -> None:
        """Check that every stored item can be read, and that its index keys match its fields."""
        for item in self.items().values():
            value, keys = self.oracle.read(item), self.oracle.index_keys(item)
            if keys and self.oracle.is_settled(value):
                assert keys == self.oracle.index_keys(self.oracle.item(value)), "index keys are not in sync"

    def write_by_others(self) -> None:
        """Write an item as another program, which may omit attributes that have defaults."""
        try:
            item = self.oracle.item(self.model.valid(self.random, id=self.random.choice(IDS)))
            for name, spec in self.model.fields.items():
                if name not in (self.made.indexed, self.made.unique):
                    self._drop(item, self.oracle.entity.attributes[name], spec, 0.4)
            item |= self.oracle.index_keys(self.oracle.item(self.oracle.read(item)))
        except UNREADABLE:
            return
        note(f"others write {item}")
        call(self.table, "PutItem", Item=item)

    def _drop(self, members: Item, name: str, spec: FieldSpec, share: float) -> None:
        """Remove an attribute that has a default, or some values inside it."""
        is_dispensable = spec.default is not None or spec.is_optional
        if name in members and is_dispensable and self.random.random() < share:
            del members[name]
        elif spec.type.model is not None and "M" in members.get(name, {}):
            for inner in spec.type.model.fields.values():
                self._drop(members[name]["M"], inner.name, inner, 0.2)

    # Writes of whole objects

    def write_objects(self) -> None:
        """Write objects once. Most of them were changed after their creation."""
        ways = ["put", "put", "create", "upsert", "put_many", "create_many"]
        way = self.random.choice([*ways, "transaction"] if self.has_transactions else ways)
        takes_several = way.endswith("many") or way == "transaction"
        values = [self._object() for _ in range(self.random.choice((1, 2)) if takes_several else 1)]
        note(f"{way} {values!r}")
        before, expected = self.items(), [self.oracle.stored_form(value) for value in values]
        start = len(self.transport.operations)
        try:
            results = self._write(way, values)
        except (AlreadyExists, TransactionCancelled) as problem:
            is_for_others = all(isinstance(each, AlreadyExists) for each in _errors_of(problem))
            assert is_for_others
            assert None not in expected, "an invalid object was sent"
        except REJECTIONS as problem:
            note(f"  rejected: {problem!r}")
            is_other_rule = self._is_other_rule(problem)
            is_named = is_other_rule or isinstance(problem, InvalidValue | KeyRefused)
            assert is_named
            assert None in expected or is_other_rule, "a valid object was rejected"
            assert WRITES.isdisjoint(self.transport.operations[start:]), "an invalid object was sent"
            assert self.items() == before
        else:
            if not way.endswith("many"):
                for form, result in zip(expected, results, strict=True):
                    assert form is not None, "an invalid object was accepted"
                    assert self.oracle.is_same(result, form), f"the write returned {result!r}"
                self._check_stored(expected)
            else:
                self._check_many(values, expected, results)

    def _object(self) -> Any:
        value = self.model.valid(self.random, id=self.random.choice(IDS))
        for _ in range(self.random.choice((0, 1, 1, 2))):
            tamper(self.random, value, self.model)
        return value

    def _write(self, way: str, values: list[Any]) -> Any:
        if way.endswith("many"):
            return getattr(self.table, way)(values)
        if way != "transaction":
            return [getattr(self.table, way)(values[0])]
        verbs = [self.random.choice(("put", "create", "upsert")) for _ in values]
        note(f"  {verbs}")
        with self.table.transaction() as tx:
            for verb, value in zip(verbs, values, strict=True):
                getattr(tx, verb)(value)
        return tx.results

    def _check_many(self, values: list[Any], expected: list[Any], result: Any) -> None:
        failed = {id(each.value): each.reason for each in result.failed}
        written: dict[str, Any] = {}
        for value, form in zip(values, expected, strict=True):
            problem = failed.get(id(value))
            if isinstance(problem, AlreadyExists) or (problem is not None and self._is_other_rule(problem)):
                continue
            if form is None:
                assert isinstance(problem, REJECTIONS), f"{value!r} was accepted"
            else:
                assert problem is None, f"{value!r} was rejected"
                written[form.id] = form
        self._check_stored(list(written.values()))

    def _check_stored(self, forms: list[Any]) -> None:
        """Assert that the items are stored in their validated forms."""
        items = self.items()
        for form in forms:
            assert self.oracle.is_same(self.read(form.id), form), f"a read returned {self.read(form.id)!r}"
            expected = self.oracle.item(form)
            stored = items[expected["PK"]["S"]]
            assert _is_same({name: stored.get(name) for name in expected}, expected)

    def _is_other_rule(self, problem: Exception) -> bool:
        """Return whether an error has another cause than the rules of the class."""
        is_marker = self.made.unique is not None and "UNIQUE#" in str(problem)  # the value does not fit into a marker
        return is_marker or "contains two actions on one item" in str(problem) or "surrogate" in str(problem)

    # Updates

    def write_updates(self) -> None:
        """Make one update, or two updates of the same shape. The second one takes the fast path."""
        items = self.items()
        ids = [id for id in IDS if f"THING#{id}" in items]
        if not ids:
            return
        names = [name for name in self.model.fields if name != "id"]
        chosen = self.random.sample(names, min(len(names), self.random.choice((1, 1, 1, 2))))
        changes = [self._change(self.model.fields[name]) for name in chosen]
        for _ in range(self.random.choice((1, 1, 2))):
            self._check_update(self.random.choice(ids), [replace(each, value=self._value(each)) for each in changes])

    def _change(self, spec: FieldSpec) -> Change:
        """Return a change of a field, or of a value inside it, without the new value."""
        random = self.random
        steps: list[str | int] = [spec.name]
        declared: ValueType = spec.type
        found: FieldSpec | None = spec
        while random.random() < 0.5:
            if declared.model is not None:
                found = random.choice(list(declared.model.fields.values()))
                steps.append(found.name)
                declared = found.type
            elif declared.element is not None and declared.shape in ("list", "dict"):
                steps.append(random.choice((0, 0, 1, 5) if declared.shape == "list" else DICT_KEYS))
                declared, found = declared.element, None
            else:
                break
        actions: list[Action] = ["set", "set", "remove"]
        if found is not None:
            actions += ACTIONS.get(declared.shape, [])
        return Change(random.choice(actions), tuple(steps), declared, found)

    def _value(self, change: Change) -> Any:
        if change.action == "remove":
            return None
        if self.random.random() < 0.4:
            return junk(self.random)
        if change.action == "add" and change.type.shape == "number":
            return self.random.choice((1, -1, 3, -3, 10, -10, 60, 0, Decimal("0.5"), 0.5))
        return change.type.valid(self.random)

    def _check_update(self, id: str, changes: list[Change]) -> None:
        note(f"update {id}: {changes}")
        before = self.items()
        try:
            made = [change.made(self.cls) for change in changes]
        except DesignError:
            assert any(change.removes_required for change in changes)
            return
        is_applicable, expected = True, None
        try:
            expected = self.oracle.after(before[f"THING#{id}"], changes)
        except NotApplicable:
            is_applicable = False
        start = len(self.transport.operations)
        try:
            result = self._update(id, made)
        except ConditionFailed:  # an item with a map never equals the item that was read, so each attempt fails
            assert not self.compares_maps
            assert self.items() == before
            return
        except (NotUnique, RequestRefused, TransactionCancelled, *REJECTIONS) as problem:
            note(f"  rejected: {problem!r}")
            assert self.items() == before
            if is_applicable:
                self._check_rejected(problem, changes, expected, self.transport.operations[start:])
            return
        note(f"  returned {result!r}")
        assert expected is not None or not is_applicable, "an invalid update was accepted"
        found, stored = self.read(id), self.items()[f"THING#{id}"]
        assert result is None or self.oracle.is_same(found, result), "the update returned another object than a read"
        assert all(self.oracle.is_settled_at(stored, each) for each in changes), "the value changes with each read"
        if expected is not None and not _has_discard(changes):
            assert self.oracle.is_same(found, expected), f"a read returned {found!r}"

    def _check_rejected(
        self, problem: Exception, changes: list[Change], expected: Any, operations: Sequence[str]
    ) -> None:
        errors = _errors_of(problem)
        if any(isinstance(each, NotUnique) or self._is_other_rule(each) for each in errors):
            return
        assert all(isinstance(each, InvalidValue | KeyRefused) for each in errors)
        if not WRITES.isdisjoint(operations):
            assert all(getattr(each, "sent", False) for each in errors), "an invalid value was sent"
            assert any(change.has_condition for change in changes)
        if expected is not None and not _has_discard(changes):
            assert not self.oracle.is_settled(expected), "a valid update was rejected"

    def _update(self, id: str, changes: list[Any]) -> Any:
        random = self.random
        target: Any = key(self.cls, id=id) if random.random() < 0.85 else self.read(id)
        options: dict[str, Any] = {}
        if random.random() < 0.15:
            options["where"] = lambda o: o.id == id
        sets_fields = all(len(each.change.path.steps) == 1 and each.change.action == "SET" for each in changes)
        if self.model.parts.rule is None and sets_fields and random.random() < 0.3:  # there is no rule to skip
            options["validate"] = "fields"
        way = random.choice(("update", "update", "update", "update_many", "transaction"))
        note(f"  {way} {options}")
        if way == "transaction" and self.has_transactions:
            with self.table.transaction() as tx:
                tx.update(target, *changes, **options)
            return None
        if way == "update_many":
            for each in self.table.update_many([target], *changes, **options).failed:
                raise each.reason
            return None
        return self.table.update(target, *changes, **options)


ACTIONS: dict[str, list[Action]] = {
    "number": ["add", "add", "add"],
    "list": ["append", "append", "append"],
    "set": ["add", "add", "discard", "discard"],
}
"""The actions for each shape of value, in addition to `set` and `remove`."""
DICT_KEYS = (Member("x"), Member("y"), Member("new"), Member("a.b#ä"))


def _errors_of(problem: Exception) -> list[Exception]:
    """Return the error of a write, or the errors of a transaction's actions."""
    if not isinstance(problem, TransactionCancelled):
        return [problem]
    return [each.error for each in problem.reasons if each.error is not None]


def _has_discard(changes: list[Change]) -> bool:
    """Return whether members are discarded. Validation may change them first, like added members."""
    return any(change.action == "discard" for change in changes)


def run_trial(random: Random, place: Place) -> None:
    """Make random writes to a table of a random class."""
    made = random_table(random, has_unique=place.has("transactions"))
    note(f"{made!r}")
    with place.fresh(made.table) as table:
        trial = Trial(table, made, random, place=place)
        trial.write_by_others()
        steps = (trial.write_by_others, trial.write_objects, trial.write_updates, trial.write_updates)
        for _ in range(random.randint(STEPS_MIN, STEPS_MAX)):
            random.choice(steps)()
            trial.check_items()


def test_object_validation_accepts_only_readable_writes_of_random_classes(place: Place) -> None:
    assert settings.default is not None
    examples = place.examples(settings.default.max_examples)
    if place.kind == "memory":
        examples = max(EXAMPLES_MIN, examples)

    # Models and writes follow from the seed, so a smaller seed is not a simpler case.
    @settings(max_examples=examples, phases=set(Phase) - {Phase.shrink})
    @given(st.integers(0, 2**32 - 1))
    def trial(seed: int) -> None:
        run_trial(Random(seed), place)

    trial()
