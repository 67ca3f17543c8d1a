"""Remedies that clash: findings that propose the same index for different keys, or different values of one keyword."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from singletable.model.design import Design
from singletable.model.entity import entity
from singletable.planner.key_proposals import new_alias
from singletable.planner.remedy import Alternative, Edit, Place, Remedy, SetItem, SetKeyword
from singletable.verify.findings import Finding

_ENTITY_OPTIONS = frozenset(inspect.signature(entity).parameters)


def resolve_clashes(design: Design, findings: Sequence[Finding]) -> list[Finding]:
    """Give the new indexes of different findings different aliases, and add a note to other remedies that clash."""
    proposals = _Proposals(design)
    resolved: list[Finding] = []
    for finding in findings:
        if finding.accepted is not None or not finding.remedy.alternatives:
            resolved.append(finding)
            continue
        alternatives = tuple(
            proposals.renamed(each) if number else proposals.noted(proposals.renamed(each), finding)
            for number, each in enumerate(finding.remedy.alternatives)
        )
        proposals.take(alternatives)
        resolved.append(replace(finding, remedy=Remedy(finding.remedy.explanation, alternatives)))
    return resolved


@dataclass
class _Proposals:
    """The new indexes and the keyword values that earlier findings propose."""

    design: Design
    indexes: dict[str, dict[str, str]] = field(default_factory=dict)
    """The keys of each entity in each new index, as source."""
    values: dict[tuple[Place, str, str], tuple[str, Finding]] = field(default_factory=dict)

    def renamed(self, alternative: Alternative) -> Alternative:
        """Return the alternative with an alias that no other finding proposes for other keys."""
        edits = list(alternative.edits)
        for number, edit in enumerate(edits):
            if isinstance(edit, SetKeyword) and self._is_new_index(edit) and self._clashes(edit):
                same = (alias for alias, keys in self.indexes.items() if keys.get(edit.place.name) == edit.source)
                alias = next(same, None) or new_alias(self.design, frozenset(self.indexes))
                edits[number] = replace(edit, keyword=alias)
        return replace(alternative, edits=tuple(edits))

    def take(self, alternatives: Sequence[Alternative]) -> None:
        """Record the new indexes of a finding. The alternatives of one finding do not clash."""
        for edit in (edit for each in alternatives for edit in each.edits):
            if isinstance(edit, SetKeyword) and self._is_new_index(edit):
                self.indexes.setdefault(edit.keyword, {})[edit.place.name] = edit.source

    def noted(self, alternative: Alternative, finding: Finding) -> Alternative:
        """Return the alternative with a note if an earlier finding sets the same keyword to another value."""
        for edit in alternative.edits:
            if not isinstance(edit, SetKeyword | SetItem) or self._is_new_index(edit):
                continue
            slot = (edit.place, edit.keyword, edit.key if isinstance(edit, SetItem) else "")
            value, other = self.values.setdefault(slot, (edit.source, finding))
            if value != edit.source:
                note = (
                    f"This clashes with the remedy of {other.code} for {other.subject}: apply one of them, then "
                    "check again."
                )
                return replace(alternative, effect=f"{alternative.effect} {note}".lstrip())
        return alternative

    def _is_new_index(self, edit: Edit) -> bool:
        """Return whether an edit gives an entity keys in an index that the design does not have."""
        if not isinstance(edit, SetKeyword) or edit.place.kind != "entity" or edit.place.inner is not None:
            return False
        return edit.keyword not in _ENTITY_OPTIONS and edit.keyword not in self.design.indexes

    def _clashes(self, edit: SetKeyword) -> bool:
        """Return whether the index has other keys of the entity, or keys of an entity that can share a partition."""
        others = self.indexes.get(edit.keyword, {})
        return any(
            source != edit.source if name == edit.place.name else _literal(source) == _literal(edit.source)
            for name, source in others.items()
        )


def _literal(source: str) -> str:
    """Return the literal that a partition key starts with, up to its first slot or delimiter."""
    return source.split('"', 2)[1].partition("{")[0] if '"' in source else ""
