"""ST124: the literal text of a key template contains quotes, placeholders or the name of a field."""

from __future__ import annotations

import re
from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import is_attribute_name, is_identifier
from singletable.model.key_template import LiteralText
from singletable.model.keys import TemplatePart
from singletable.planner.key_changes import template_change
from singletable.planner.remedy import Alternative, Remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST124", "syntax in literal text", "warning")
# Templates reject the characters up to '%' (space, double quote, '$'), so only these patterns remain to be found.
_PLACEHOLDER = re.compile(r"<([^<>#]*)>|\[([^\[\]#]*)\]|\(([^()#]*)\)")
_QUOTES = re.compile("['`\u00b4\u2018\u2019\u201c\u201d\u00ab\u00bb]")
_SPACES = re.compile(r"[\u00a0\u2000-\u200f\u202f\u3000\ufeff]")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find literal text that was probably meant as a slot, or that comes from another notation."""
    for entity in planned.design.entities:
        seen: set[str] = set()
        for placement in (each for each in entity.placements.values() if not each.index.is_inverse):
            for part in placement.parts:
                if isinstance(part, TemplatePart) and str(part) not in seen:
                    seen.add(str(part))
                    yield from _findings(planned.design, entity, part)


def _findings(design: Design, entity: Entity, part: TemplatePart) -> Iterator[Finding]:
    delimiter = part.template.delimiter
    literals = [piece.text for piece in part.template.parts if isinstance(piece, LiteralText)]
    where = f'{part.attribute} = "{part}"'
    for text in literals:
        if found := _PLACEHOLDER.search(text):
            name = next(group for group in found.groups() if group is not None)
            remedy = Remedy("Write the field in braces, such as {id}, or remove the placeholder.")
            if name in entity.fields:
                remedy = _rewrite(design, entity, part, part.template.text.replace(found[0], f"{{{name}}}"))
            yield _finding(entity, where, f"contains {found[0]!r} as literal text", remedy)
        elif found := _QUOTES.search(text) or _SPACES.search(text):
            problem = f"contains the character {found[0]!r} as literal text"
            remedy = _rewrite(design, entity, part, part.template.text.replace(found[0], ""))
            yield _finding(entity, where, problem, remedy)
        for segment in text.split(delimiter):
            if is_attribute_name(segment) and segment not in entity.fields:
                problem = f"contains {segment!r}, which is the name of an attribute and not a value, as literal text"
                remedy = Remedy("Declare the field and write it in braces, such as {id}.")
                yield _finding(entity, where, problem, remedy)
            if segment in entity.fields and is_identifier(entity.fields[segment]) and segment not in part.fields:
                problem = f"contains {segment!r}, the name of a field, as literal text"
                rewritten = delimiter.join(
                    f"{{{each}}}" if each == segment else each for each in part.template.text.split(delimiter)
                )
                yield _finding(entity, where, problem, _rewrite(design, entity, part, rewritten))


def _finding(entity: Entity, where: str, problem: str, remedy: Remedy) -> Finding:
    return entity_finding(RULE, entity, f"{where} {problem}, so every item has the same text there", remedy)


def _rewrite(design: Design, entity: Entity, part: TemplatePart, text: str) -> Remedy:
    """Return the edits that replace a template in all keys of the entity."""
    old = part.template.text
    edits = template_change(design, (entity,), lambda template: text if template == old else template)
    return Remedy(f'Write {part.attribute} = "{text}".') if edits is None else Remedy("", (Alternative(edits),))
