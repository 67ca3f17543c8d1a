"""The document of a design: what it is for, what is asked of it, where everything lies, what it costs; made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable.cost.prices import Prices
from singletable.cost.sample import Sample
from singletable.document.blocks import (
    Badge,
    Block,
    Inline,
    Paragraph,
    Section,
    Text,
    paragraphs,
    words,
)
from singletable.document.cost_section import cost_section
from singletable.document.drawn import draw_index
from singletable.document.finding_section import finding_section
from singletable.document.key_sections import entity_section, key_section
from singletable.document.pattern_sections import is_served, pattern_section, worksheet_section
from singletable.model.design import Design
from singletable.planner.amounts import counted
from singletable.sample_rows.rows import SampleRows, sample_rows
from singletable.verify.check import Report, check


@dataclass(frozen=True)
class Subject:
    """A design to write about: what its author says of it, and rows to show it with."""

    design: Design
    description: str = ""
    rows: SampleRows | None = None
    """Rows of a store; some are made up where there are none."""
    sample: Sample | None = None
    """What the items of that store weigh."""


def model_document(subjects: Sequence[Subject], prices: Prices, introduction: str = "") -> Section:
    """One document of all tables of a model; `introduction` is what the model says of itself."""
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
        _collection_section(design, rows, f"{at}-collections", made_up=subject.rows is None),
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


def _summary(report: Report) -> list[Inline]:
    design = report.design
    served = sum(is_served(outcome) for outcome in report.outcomes)
    still = [finding for finding in report.findings if finding.accepted is None]
    errors = any(finding.severity == "error" for finding in still)
    patterns = len(design.patterns)
    return [
        Badge(f"{served} of {counted(patterns, 'pattern')} served", "good" if served == patterns else "bad"),
        Text(" · "),
        Badge(
            counted(len(still), "open finding") if still else "no open findings",
            "bad" if errors else "warning" if still else "good",
        ),
        Text(" · "),
        Badge(counted(len(design.entities), "entity", "entities"), "plain"),
        Text(" · "),
        Badge(counted(len(design.indexes) - 1, "index", "indexes"), "plain"),
    ]


def _collection_section(design: Design, rows: SampleRows, anchor: str, *, made_up: bool) -> Section:
    """The table and every index, drawn with rows in them."""
    blocks: list[Block] = []
    for index in design.indexes.values():
        named = None if index.is_table else index.name
        drawn = draw_index(design, rows.stored, named, f"{design.name}-{named or 'table'}".lower())
        if drawn is None:
            continue
        blocks.append(drawn.picture)
        blocks += [Paragraph(words(drawn.left_out))] * bool(drawn.left_out)
    if blocks:
        source = "made up, and always the same" if made_up else "those of a store"
        blocks.insert(
            0, Paragraph(words(f"Items that share a partition key, in order of their sort key. The rows are {source}."))
        )
    return Section("Item collections", anchor, tuple(blocks))
