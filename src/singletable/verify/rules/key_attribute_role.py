"""ST140: the name of a key attribute says another role or another index than the one that uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.table_schema import Index
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding, table_finding

RULE = Rule("ST140", "key attribute in another role", "warning")
_KEY_NAME = re.compile(r"[a-z]*?[-_]?(\d*)[-_]?(pk|sk)[-_]?(\d*)", re.IGNORECASE)
_ROLES = {"pk": "partition key", "sk": "sort key"}


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find indexes such as GSI2 with the partition key GSI1SK, and fields such as GSI2SK that no index uses."""
    design = planned.design
    of_table = set(design.table.key_attributes)
    for index in (each for each in design.indexes.values() if not each.is_table and not each.is_inverse):
        problems = list(_problems(index, of_table))
        if problems:
            remedy = "Use the attributes that are named after the index and the role, or rename the attributes."
            yield table_finding(RULE, design, f"{index.name}: {'; '.join(problems)}", remedy)
    yield from _unused(design)


def _problems(index: Index, of_table: set[str]) -> Iterator[str]:
    number = re.search(r"(\d+)\D*$", index.name)
    own = (index.partition, "pk"), (index.sort, "sk")
    for role, attributes in ((role, attributes) for attributes, role in own):
        for name in (each.name for each in attributes if each.name not in of_table):
            found = _KEY_NAME.fullmatch(name)
            if found is None:
                continue
            says, digits = found[2].lower(), found[1] or found[3]
            if says != role:
                yield f"its {_ROLES[role]} is {name}, whose name says {_ROLES[says]}"
            elif number is not None and digits and int(digits) != int(number[1]):
                yield f"its {_ROLES[role]} is {name}, whose name says index {digits}"


def _unused(design: Design) -> Iterator[Finding]:
    used = {name for index in design.indexes.values() for name in index.key_attributes}
    for entity in design.entities:
        stored = {entity.attributes.get(name, name) for name in entity.fields} - used
        names = sorted(name for name in stored if (found := _KEY_NAME.fullmatch(name)) and (found[1] or found[3]))
        if names:
            what = "has the name of a key attribute" if len(names) == 1 else "have the names of key attributes"
            message = f"{', '.join(names)} {what}, but no index uses {'it' if len(names) == 1 else 'them'}"
            yield entity_finding(RULE, entity, message, "Add the index, or remove the attribute.")
