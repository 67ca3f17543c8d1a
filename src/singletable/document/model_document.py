"""The design document of a model: worksheet, entities, keys, item collections, patterns, findings and cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.cost.measured_items import ItemSample
from singletable.cost.prices import Prices
from singletable.document.blocks import (
    Badge,
    Block,
    Code,
    Inline,
    Paragraph,
    PlainText,
    Section,
    Tone,
    Words,
    paragraphs,
    table,
    words,
)
from singletable.document.cost_section import cost_section
from singletable.document.docstrings import own_doc
from singletable.document.key_choice import key_choice_section
from singletable.document.pattern_sections import pattern_section, worksheet_section
from singletable.document.picture_selection import draw_index
from singletable.expressions.printer import readable_condition
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import KeyPart, NativePart, Placement
from singletable.model.table_schema import TABLE, Index
from singletable.planner.formatting import format_count
from singletable.sample_rows.generate_rows import SampleRows, sample_rows
from singletable.verify.design_check import CheckReport, check
from singletable.verify.findings import Finding


def entity_section(design: Design, anchor: str) -> Section:
    """Return the section with the entities and their fields."""
    rows = [(Code(entity.label), *_entity_cells(design, entity)) for entity in design.entities]
    headers = ("entity", "description", "fields", "derived data")
    return Section("Entities", anchor, (table(headers, rows, "description", "derived data"),))


def _entity_cells(design: Design, entity: Entity) -> tuple[str, Words, str]:
    description = paragraphs(own_doc(entity.cls))
    about = description[0].words[0] if description else PlainText("")
    return about.text, _fields(entity), "; ".join(_derived_data(entity))


def _fields(entity: Entity) -> Words:
    parts: list[Inline] = []
    for name, field in entity.fields.items():
        stored = entity.attributes.get(name, name)
        parts += [PlainText(", ")] if parts else []
        typed = f"{name}: {field.type_name}{' | None' if field.optional else ''}"
        parts.append(Code(typed if stored == name else f"{typed} ({stored})"))
    return tuple(parts)


def _derived_data(entity: Entity) -> Iterator[str]:
    declaration = entity.declaration
    for fields in declaration.unique:
        yield f"{' and '.join(fields)} unique"
    for copied in declaration.copies:
        yield f"{', '.join(copied.fields.values())} copied from {copied.source.__name__}"
    for count in declaration.counted:
        condition = "" if count.condition is None else f" if {readable_condition(count.condition)}"
        yield f"counted in {count.owner.__name__}.{count.field}{condition}"
    if declaration.mirror_of is not None:
        yield f"mirror of {declaration.mirror_of.__name__}"
    if declaration.ttl is not None:
        yield f"expires at {declaration.ttl}"


def key_section(design: Design, anchor: str) -> Section:
    """Return the section with the key attributes of every entity, and the indexes."""
    attributes = list(dict.fromkeys(name for index in design.indexes.values() for name in index.key_attributes))
    rows: list[list[Inline | Words]] = [
        [Code(entity.label), *(_key_cell(entity, name) for name in attributes)] for entity in design.entities
    ]
    blocks: list[Block] = [table(("entity", *attributes), rows)]
    derived = list(dict.fromkeys(_derived(design)))
    if derived:
        blocks.append(table(("derived value", "computed as"), [(Code(name), Code(label)) for name, label in derived]))
    indexes = [_index_row(design, index) for index in design.indexes.values()]
    blocks.append(table(("index", "kind", "partition", "sort", "projection", "entities"), indexes, "sort"))
    if any(placement.sparse for entity in design.entities for placement in entity.placements.values()):
        blocks.append(Paragraph(words("A sparse index contains only the items that have all fields of its keys.")))
    return Section("Keys", anchor, tuple(blocks))


def _key_cell(entity: Entity, attribute: str) -> Words:
    for placement in entity.placements.values():
        for part in placement.parts:
            if part.attribute == attribute and not placement.index.is_inverse:
                return _key_text(placement, part)
    return ()


def _key_text(placement: Placement, part: KeyPart) -> Words:
    key = words(Code(part.field.name), f" ({part.type})") if isinstance(part, NativePart) else words(Code(str(part)))
    return (*key, PlainText(" sparse")) if placement.sparse else key


def _derived(design: Design) -> Iterator[tuple[str, str]]:
    for entity in design.entities:
        for name, derived in entity.declaration.derived.items():
            yield f"{{{name}}} of {entity.label}", derived.label


def _index_row(design: Design, index: Index) -> tuple[Any, ...]:
    kind = "table" if index.is_table else f"{index.kind}, inverse" if index.is_inverse else index.kind
    return (
        Code(design.name if index.alias == TABLE else index.name),
        kind,
        _names(tuple(f"{each.name} ({each.type})" for each in index.partition)),
        _names(tuple(f"{each.name} ({each.type})" for each in index.sort)),
        "all attributes" if index.is_table or index.projection.kind == "ALL" else str(index.projection),
        ", ".join(entity.label for entity in design.placed_in(index)),
    )


def _names(names: tuple[str, ...]) -> Words:
    return tuple(part for name in names for part in (PlainText(", "), Code(name)))[1:]


def finding_section(report: CheckReport, anchor: str) -> Section:
    """Return the section with open and accepted findings."""
    open_findings = [finding for finding in report.findings if finding.accepted is None]
    accepted = [finding for finding in report.findings if finding.accepted is not None]
    blocks: list[Block] = []
    if open_findings:
        rows = [(_code(each), _message(each), str(each.remedy)) for each in open_findings]
        blocks.append(table(("finding", "problem", "remedy"), rows))
    else:
        blocks.append(Paragraph(words("No open findings.")))
    if accepted:
        blocks.append(Paragraph(words("Accepted findings:")))
        rows = [(_code(each), _message(each), each.accepted or "") for each in accepted]
        blocks.append(table(("finding", "problem", "reason"), rows))
    return Section("Findings", anchor, tuple(blocks))


def _code(finding: Finding) -> Words:
    if finding.accepted is not None:
        return words(Code(finding.code), " ", Badge("accepted", "plain"))
    return words(Code(finding.code), " ", Badge(finding.severity, "bad" if finding.severity == "error" else "warning"))


def _message(finding: Finding) -> Words:
    message = f"{finding.rule.title}: {finding.message}"
    return words(message, *(PlainText(f" · {detail.strip()}") for detail in finding.details))


@dataclass(frozen=True)
class Subject:
    """A design to document, with its description and the rows to show."""

    design: Design
    description: str = ""
    rows: SampleRows | None = None
    """The rows of a store. None generates sample rows."""
    sample: ItemSample | None = None
    """The item sizes in that store."""


def model_document(subjects: Sequence[Subject], prices: Prices, introduction: str = "") -> Section:
    """Return one document for all tables of a model. `introduction` is the docstring of its module."""
    for subject in subjects:
        subject.design.require_keys("the document")
    lead = paragraphs(introduction)
    if len(subjects) == 1:
        only = _table_section(subjects[0], prices)
        return Section(only.title, only.anchor, (*lead, *only.blocks), only.sections)
    sections = tuple(_table_section(subject, prices) for subject in subjects)
    *others, last = [section.title for section in sections]
    return Section(f"{', '.join(others)} and {last}", "tables", lead, sections)


def _table_section(subject: Subject, prices: Prices) -> Section:
    design = subject.design
    report = check(design)
    rows = subject.rows or sample_rows(design)
    at = design.name.lower()
    sections = [
        worksheet_section(report, f"{at}-worksheet"),
        entity_section(design, f"{at}-entities"),
        key_section(design, f"{at}-keys"),
        key_choice_section(design, prices, f"{at}-key-choice"),
        _collection_section(design, rows, f"{at}-collections", is_generated=subject.rows is None),
        pattern_section(report, rows.stored, rows.values, f"{at}-patterns"),
        finding_section(report, f"{at}-findings"),
        cost_section(design, prices, f"{at}-cost", subject.sample),
    ]
    return Section(
        design.name,
        at,
        (*paragraphs(subject.description), Paragraph(tuple(_summary(report)))),
        tuple(section for section in sections if section.blocks or section.sections),
    )


def _summary(report: CheckReport) -> list[Inline]:
    design = report.design
    served = sum(outcome.is_as_declared for outcome in report.outcomes)
    open_findings = [finding for finding in report.findings if finding.accepted is None]
    errors = any(finding.severity == "error" for finding in open_findings)
    patterns = len(design.patterns)
    tone: Tone = "good" if served == patterns else "bad"
    if served < patterns and all(outcome.verdict.is_served for outcome in report.outcomes):
        tone = "warning"
    return [
        Badge(f"{served} of {format_count(patterns, 'pattern')} served as declared", tone),
        PlainText(" · "),
        Badge(
            format_count(len(open_findings), "open finding") if open_findings else "no open findings",
            "bad" if errors else "warning" if open_findings else "good",
        ),
        PlainText(" · "),
        Badge(format_count(len(design.entities), "entity", "entities"), "plain"),
        PlainText(" · "),
        Badge(format_count(len(design.indexes) - 1, "index", "indexes"), "plain"),
    ]


def _collection_section(design: Design, rows: SampleRows, anchor: str, *, is_generated: bool) -> Section:
    """Return the section with pictures of the table and every index."""
    blocks: list[Block] = []
    for index in design.indexes.values():
        named = None if index.is_table else index.name
        selected = draw_index(design, rows.stored, named, f"{design.name}-{named or 'table'}".lower())
        if selected is None:
            continue
        blocks.append(selected.picture)
        blocks += [Paragraph(words(selected.omitted))] * bool(selected.omitted)
    if blocks:
        source = "are generated sample data" if is_generated else "come from the store"
        blocks.insert(0, Paragraph(words(f"Items that share a partition key, sorted by sort key. The rows {source}.")))
    return Section("Item collections", anchor, tuple(blocks))
