"""ST127: the name of a pattern says "by" a field, but the read does not use the field."""

from __future__ import annotations

import re
from collections.abc import Iterator

from singletable.model.field_roles import words_of
from singletable.model.intents import CollectionIntent, GetIntent, QueryIntent
from singletable.planner.plan import Plan
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding, pattern_finding

RULE = Rule("ST127", "read by another field", "warning")
_BY = re.compile(r"_by_(\w+)$")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find reads named `..._by_FIELD` whose keys, conditions and parameters do not contain the field."""
    for plan in planned.plans:
        found = _BY.search(plan.pattern.name)
        if not found or not isinstance(plan.pattern.intent, GetIntent | QueryIntent | CollectionIntent):
            continue
        used = {_essence(name) for name in _used_names(plan)}
        for said in re.split(r"_(?:and|or|then)_", found[1]):
            field = next((name for name in plan.entities[0].fields if _essence(name) == _essence(said)), None)
            if field is not None and _essence(said) not in used:
                message = f'says "by {said}", but neither the key condition nor the parameters contain {field}'
                remedy = f"Add {field} as a parameter, or rename the pattern."
                yield pattern_finding(RULE, plan.pattern, message, remedy)
    yield from _other_titles(planned)
    yield from _misnamed_indexes(planned)


def _other_titles(planned: PlannedDesign) -> Iterator[Finding]:
    """Find reads whose docstring says `by FIELD`, with a field of several words that the read does not use."""
    for plan in planned.plans:
        if not isinstance(plan.pattern.intent, GetIntent | QueryIntent):
            continue
        title = " ".join(words_of(plan.pattern.title))
        used = set(_used_names(plan))
        for name in plan.entities[0].fields:
            said = " ".join(words_of(name))
            if " " in said and re.search(rf"\bby {said}\b", title) and name not in used:
                message = f'says "by {said}", but neither the key condition nor the parameters contain {name}'
                remedy = f"Add {name} as a parameter, with an index that contains it, or correct the description."
                yield pattern_finding(RULE, plan.pattern, message, remedy)


def _misnamed_indexes(planned: PlannedDesign) -> Iterator[Finding]:
    """Find indexes named after several fields, such as `enabled-priority-index`, whose key lacks one of them."""
    for index in planned.design.indexes.values():
        said = [word for word in re.split(r"[-_]", index.name) if word.lower() not in ("index", "gsi", "lsi", "by")]
        for entity in planned.design.placed_in(index) if len(said) > 1 else ():
            keyed = {_essence(name) for name in entity.placements[index.alias].fields}
            named = {name: _essence(name) for name in entity.fields}
            if not any(words_of(word) in keyed for word in said):
                continue
            for word in said:
                missing = [
                    name for name, essence in named.items() if essence == words_of(word) and essence not in keyed
                ]
                if missing:
                    message = f"{index.name} is named after {word}, but its key of {entity.label} lacks {missing[0]}"
                    remedy = f"Put {missing[0]} into the sort key of {index.name}, or rename the index."
                    yield entity_finding(RULE, entity, f"{message}", remedy)


def _used_names(plan: Plan) -> Iterator[str]:
    """Yield the fields that select or sort the result, and the parameters."""
    for entity in plan.entities:
        yield from entity.placements[plan.index.alias].fields
    yield from plan.pattern.parameters
    intent = plan.pattern.intent
    for condition in (getattr(intent, "where", None), getattr(intent, "filter", None)):
        yield from re.findall(r"\w+", str(condition) if condition is not None else "")


def _essence(name: str) -> tuple[str, ...]:
    """Return the words of a name without a final `id`: `by_customer` means the field `customer_id`."""
    words = words_of(name)
    return words[:-1] if len(words) > 1 and words[-1] == "id" else words
