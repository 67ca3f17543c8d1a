"""ST138: the items of an entity differ only in a title or the name of a person, which several items can share."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.field_roles import words_of
from singletable.planner.formatting import format_list
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST138", "key unique only by a title", "warning")
_PERSON_NAMES = (("first", "name"), ("last", "name"), ("full", "name"), ("display", "name"))
_TITLES = frozenset({"title", "subject", "headline"})
_WRITTEN = frozenset(
    {"thread", "post", "ticket", "question", "topic", "task", "todo", "note", "issue", "article", "event", "meeting"}
    | {"discussion", "request", "idea", "job", "listing", "ad", "message", "announcement", "document", "complaint"}
)
"""Words of entities whose titles people write freely. The title of a song or a movie usually identifies it."""


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find entities such as threads and people, whose key has a title or a name in the place of an id."""
    for entity in planned.design.entities:
        titles = _own_fields(entity)
        if not titles or entity.declaration.identity is not None:
            continue
        words = {word.removesuffix("s") for word in words_of(f"{planned.design.name}_{entity.label}")}
        is_title = all(_TITLES.intersection(words_of(name)[-1:]) for name in titles) and bool(words & _WRITTEN)
        if is_title or all(words_of(name)[-2:] in _PERSON_NAMES for name in titles):
            shown = ", ".join(f'"{part}"' for part in entity.base.parts)
            message = (
                f"two items with the same {format_list(titles)} have the same key {shown}: the second write overwrites "
                f"the first, and a change of {format_list(titles)} needs a new item"
            )
            remedy = f"Add an id, and use it in the key instead of {format_list(titles)}."
            yield entity_finding(RULE, entity, message, remedy)


def _own_fields(entity: Entity) -> list[str]:
    """Return the fields that distinguish the items of a partition, or those of the partition if there are none."""
    partition = list(dict.fromkeys(name for part in entity.base.partition for name in part.fields))
    inside = [name for part in entity.base.sort for name in part.fields if name not in partition]
    return list(dict.fromkeys(inside)) or partition
