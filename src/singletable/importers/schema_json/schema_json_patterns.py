"""Access patterns of a `schema.json` as declared patterns. A pattern that no request serves is declared too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from singletable.expressions.tree import Compare, Condition, Function, In, Not, Or, Parameter, Path
from singletable.importers.draft import (
    DraftClass,
    DraftEntity,
    DraftField,
    DraftParameter,
    DraftPattern,
    PatternKind,
    RangeKind,
    all_of,
    exists,
    fields_in,
    key_form,
    paging,
    set_to_parameter,
)
from singletable.importers.names import class_name
from singletable.importers.proposals import collection_fields, has_several_items
from singletable.model.table_schema import TABLE

_RANGES: Mapping[str, RangeKind] = {
    "begins_with": "Prefix",
    "between": "Between",
    ">=": "Since",
    ">": "Since",
    "<=": "Until",
    "<": "Until",
}
_COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
_PAGING = ("limit", "cursor", "page_size", "page_token", "next_token", "last_evaluated_key", "exclusive_start_key")
_FROM_WORDS = frozenset(("start", "from", "since", "after", "min", "begin", "low", "lower"))
_TO_WORDS = frozenset(("end", "to", "until", "before", "max", "high", "upper"))


@dataclass(frozen=True)
class PatternSource:
    """An entity with the patterns that the document lists under it."""

    entity: DraftEntity
    keys: tuple[str, ...]
    """The key attributes of the table."""
    fields: Mapping[str, DraftField]
    """Its fields by their names in the document."""
    aliases: Mapping[str, str]
    """The aliases of the indexes by their names."""
    classes: Mapping[str, str]
    patterns: Sequence[dict[str, Any]]


class _NotExpressible(Exception):
    """The reason why a model cannot declare a pattern."""


class PatternReader:
    """Reads one pattern. `notes` lists the differences in the model, `shape` is the class of a collection."""

    def __init__(
        self,
        source: PatternSource,
        pattern: dict[str, Any],
        name: str,
        entities: Sequence[DraftEntity],
        taken: Sequence[str],
    ) -> None:
        self.source = source
        self.document = pattern
        self.name = name
        self.entities = entities
        self.taken = taken
        self.notes: list[str] = []
        self.shape: DraftClass | None = None
        parameters = pattern.get("parameters") or ()
        self.plain = [each["name"] for each in parameters if each["type"] != "entity"]
        self.items = [each["entity_type"] for each in parameters if each["type"] == "entity"]
        self.filtered: dict[str, DraftParameter] = {}
        """The parameters that the filter uses, by their names in the document."""

    def pattern(self) -> DraftPattern | None:
        """Return the pattern. If it is not possible, return None and a note."""
        try:
            return self._pattern()
        except _NotExpressible as reason:
            self.notes.append(f"was left out, because {reason}")
            return None

    def _pattern(self) -> DraftPattern:
        match self.document["operation"]:
            case "GetItem":
                return self._declare("get", self._bound(self.plain, self._key_fields()))
            case "DeleteItem":
                return self._declare("delete", self._bound(self.plain, self._key_fields()))
            case "PutItem":
                return self._put()
            case "UpdateItem":
                return self._update()
            case "Query" if self.document["return_type"] == "mixed_data":
                return self._collection()
            case "Query":
                return self._query(*self._index_fields())
            case "Scan":
                return self._query([], [])
            case "BatchGetItem":
                raise _NotExpressible("every table reads several keys with get_many(...)")
            case _:
                raise _NotExpressible("every table writes several items with put_many(...) and delete_many(...)")

    def _declare(
        self, kind: PatternKind, parameters: tuple[DraftParameter, ...], condition: Condition | None = None
    ) -> DraftPattern:
        is_consistent = kind in ("get", "query") and bool(self.document.get("consistent_read"))
        names = (self.source.entity.class_name,)
        title = self.document["description"]
        return DraftPattern(self.name, title, kind, names, parameters, filter=condition, consistent=is_consistent)

    def _put(self) -> DraftPattern:
        others = [each for each in self.items if self.source.classes[each] != self.source.entity.class_name]
        if others:
            self.notes.append(f"the parameters {', '.join(others)} were left out, because put(...) writes one item")
        return self._declare("put", ())

    def _update(self) -> DraftPattern:
        keys = self._key_fields()
        changed = [name for name in self.plain if name in self.source.fields and self._field(name).name not in keys]
        if self.items or not changed:
            why = "takes a whole item" if self.items else "does not name the fields that it sets"
            if not self.items and self.plain and all(name in self.source.fields for name in self.plain):
                why = "has only parameters of the key, which no update can change"
            self.notes.append(f"became put(...), because the update {why}")
            return self._put()
        unknown = [name for name in self.plain if name not in self.source.fields]
        parameters = self._bound([name for name in self.plain if name not in changed and name not in unknown], keys)
        missing = [key for key in keys if key not in {each.name for each in parameters}]
        if missing and len(missing) == len(unknown):
            parameters = (*parameters, *map(self._parameter, missing))
        elif unknown:
            self.notes.append(f"the parameters {', '.join(unknown)} were left out, because they are not fields")
        sets = tuple(self._parameter(self._field(name).name) for name in changed)
        made = self._declare("update", (*parameters, *sets))
        return replace(made, changes=tuple(set_to_parameter(each.name) for each in sets))

    def _query(self, partition: list[str], sort: list[str]) -> DraftPattern:
        condition = self._filter(self.document.get("filter_expression"))
        names = [name for name in self.plain if name not in self.filtered and name not in _PAGING]
        names, bounds, kind = self._range(names)
        parameters = self._bound(names, partition)
        equal = {each.name for each in parameters}
        if kind is not None:
            open_fields = [each for each in sort if each not in equal]
            target = self._field(bounds[0]).name if bounds[0] in self.source.fields else next(iter(open_fields), None)
            if target is None:
                self.notes.append(f"the parameter {bounds[0]} was left out, because the sort key has no field for it")
            else:
                parameters = (*parameters, self._parameter(target, kind))
        equal = {each.name for each in parameters}
        filtering = tuple(each for each in self.filtered.values() if each.name not in equal)
        pages = paging() if self.document["return_type"] == "entity_list" else ()
        return self._declare("query", (*parameters, *filtering, *pages), condition)

    def _collection(self) -> DraftPattern:
        own, alias = self.source.entity, self._alias()
        if alias not in own.keys:
            raise _NotExpressible(f"{own.class_name} is not in the index {alias}")
        form = key_form(own.keys[alias].partition)
        members = [
            each for each in self.entities if alias in each.keys and key_form(each.keys[alias].partition) == form
        ]
        if self.document.get("filter_expression"):
            self.notes.append("the filter was left out, because a collection has no filter")
        parameters = self._bound(self.plain, fields_in(own.keys[alias].partition))
        if len(members) == 1:
            self.notes.append(f"reads only {own.class_name}, because no other entity is in the same partition")
            return self._declare("query", (*parameters, *paging()))
        single = [each for each in members if not has_several_items(each.keys[alias])]
        if len(single) == 1:
            members = [single[0], *(each for each in members if each is not single[0])]
        name = class_name(self.name, self.taken)
        self.shape = DraftClass(name, tuple(collection_fields(members, alias)), f"{self.document['description']}.")
        entities = tuple(each.class_name for each in members)
        return DraftPattern(self.name, self.document["description"], "collection", entities, parameters, view=name)

    def _range(self, names: list[str]) -> tuple[list[str], list[str], RangeKind | None]:
        """Return the parameters outside the range, the parameters of the range, and the kind of the range."""
        condition = self.document.get("range_condition")
        if condition is not None:
            count = 2 if condition == "between" else 1
            if condition in (">", "<"):
                self.notes.append(f"{condition} became {condition}=: a range of the model includes its bounds")
            return names[:-count], names[-count:], _RANGES[condition]
        last = names[-2:]
        are_bounds = len(last) == 2 and _has_word(last[0], _FROM_WORDS) and _has_word(last[1], _TO_WORDS)
        if are_bounds and not any(each in self.source.fields for each in last):
            self.notes.append(f"{last[0]} and {last[1]} became the bounds of a range")
            return names[:-2], last, "Between"
        return names, [], None

    def _key_fields(self) -> list[str]:
        keys = self.source.entity.keys[TABLE]
        return fields_in((*keys.partition, *keys.sort))

    def _alias(self) -> str:
        index = self.document.get("index_name")
        return self.source.aliases[index] if index else TABLE

    def _index_fields(self) -> tuple[list[str], list[str]]:
        keys = self.source.entity.keys.get(self._alias())
        return (fields_in(keys.partition), fields_in(keys.sort)) if keys is not None else ([], [])

    def _bound(self, names: Sequence[str], keys: Sequence[str]) -> tuple[DraftParameter, ...]:
        """Return parameters by field name. Other names are assigned to the key fields without a parameter, in order."""
        names = [each for name in names for each in self._composing(name)]
        known = [self._field(name).name for name in names if name in self.source.fields]
        free = [key for key in keys if key not in known]
        unknown = [name for name in names if name not in self.source.fields]
        stands_for = dict(zip(unknown, free, strict=False))
        if left_out := unknown[len(free) :]:
            self.notes.append(f"the parameters {', '.join(left_out)} were left out, because they are not fields")
        given = [self._field(name).name if name in self.source.fields else stands_for.get(name) for name in names]
        return tuple(self._parameter(name) for name in dict.fromkeys(given) if name is not None)

    def _composing(self, name: str) -> Sequence[str]:
        """Return the fields that form a key attribute, or the name itself."""
        if name in self.source.fields or name not in self.source.keys:
            return (name,)
        keys = self.source.entity.keys[TABLE]
        place = self.source.keys.index(name)
        inner = set(fields_in(((*keys.partition, *keys.sort)[place],)))
        return [each for each, known in self.source.fields.items() if known.name in inner]

    def _field(self, name: str) -> DraftField:
        return self.source.fields[name]

    def _parameter(self, name: str, kind: RangeKind | None = None) -> DraftParameter:
        known = next(each for each in self.source.entity.fields if each.name == name)
        return DraftParameter(name, known.type, kind)

    def _filter(self, expression: dict[str, Any] | None) -> Condition | None:
        parts = [self._test(each) for each in expression["conditions"]] if expression is not None else []
        if expression is not None and expression.get("logical_operator") == "OR" and len(parts) > 1:
            return Or(tuple(parts))
        return all_of([inner for each in parts for inner in _conjuncts(each)])

    def _test(self, condition: dict[str, Any]) -> Condition:
        field = self._field(condition["field"])
        path, word = Path((field.name,)), condition.get("function") or condition.get("operator")
        match word:
            case "attribute_exists":
                return exists(field.name)
            case "attribute_not_exists":
                return Not(exists(field.name))
            case "contains" | "begins_with":
                kind = "str" if field.type in ("list[Any]", "list[str]", "set[str]") else field.type
                return Function(str(word), (path, self._operand(condition, condition.get("param"), field, kind)))
            case "between":
                low, high = (self._operand(condition, condition.get(each), field) for each in ("param", "param2"))
                both = all_of([Compare(">=", path, low), Compare("<=", path, high)])
                assert both is not None
                return both
            case "in":
                given = condition.get("params")
                options = given if isinstance(given, list) and given else [condition.get("param")]
                return In(path, tuple(self._operand(condition, each, field) for each in options))
            case comparator if comparator in _COMPARATORS:
                return Compare(comparator, path, self._operand(condition, condition.get("param"), field))
            case _:
                raise _NotExpressible(f"a model cannot filter {condition['field']} with {word}")

    def _operand(self, condition: dict[str, Any], given: Any, field: DraftField, kind: str = "") -> Parameter:
        """Return a parameter with the name of the field. A second parameter of the field gets a suffix."""
        if given not in self.plain:
            word = condition.get("function") or condition.get("operator")
            raise _NotExpressible(f"the filter {word} on {condition['field']} names no parameter")
        if given not in self.filtered:
            taken = {each.name for each in self.filtered.values()}
            name = next(each for each in _suffixed(field.name) if each not in taken)
            self.filtered[given] = DraftParameter(name, kind or field.type)
        return Parameter(self.filtered[given].name)


def _conjuncts(condition: Condition) -> tuple[Condition, ...]:
    return getattr(condition, "parts", (condition,)) if not isinstance(condition, Or) else (condition,)


def _suffixed(name: str) -> Iterator[str]:
    while True:
        yield name
        name = f"{name}_other"


def _has_word(name: str, words: frozenset[str]) -> bool:
    parts = re.split(r"[_\W]+", name.lower())
    return bool({parts[0], parts[-1]} & words)
