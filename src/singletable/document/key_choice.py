"""The key choice section: the fewest indexes with their proof, and the keys that `singletable design` chooses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable.cost.prices import Prices
from singletable.design.design_report import (
    DesignReport,
    KeyReason,
    certificate_lines,
    design_report,
    searched_text,
)
from singletable.design.designed_table import design_table
from singletable.design.model_workload import DesignOptions
from singletable.design.redesign import declared_counts, without_keys
from singletable.document.blocks import Block, Bullets, Code, Fold, Paragraph, Section, Words, table, words
from singletable.errors import DesignError
from singletable.model.design import Design
from singletable.model.key_template import LiteralText
from singletable.model.keys import KeyPart, NativePart, Placement
from singletable.model.table_schema import TABLE
from singletable.planner.formatting import format_count, format_dollars


def key_choice(design: Design, prices: Prices) -> DesignReport:
    """Return the report about the keys that the search chooses for a design, which can already have keys.

    Raise DesignError if the search does not support the table.
    """
    options = DesignOptions()
    if design.keyless:
        return design_report(design_table(design, options), options, prices)
    table = design_table(without_keys(design), options, declared_counts(design))
    return design_report(table, options, prices)


def key_choice_section(design: Design, prices: Prices, anchor: str) -> Section:
    """Return the section that explains the keys. It has no blocks if the search does not support the table."""
    try:
        report = key_choice(design, prices)
    except DesignError:
        return Section("Key choice", anchor)
    return Section("Key choice", anchor, tuple(key_choice_blocks(design, report)))


def key_choice_blocks(design: Design, report: DesignReport) -> Iterator[Block]:
    """Yield the headline with the certificate, the chosen keys with their reasons, and folded details."""
    yield Paragraph(words(f"Fewest indexes for these patterns: {report.headline}. {_compared(design, report)}"))
    certificate = [words(line.strip()) for line in certificate_lines(report.table)]
    if certificate:
        yield Bullets(tuple(certificate))
    if report.keys:
        rows = [_key_row(design, report, each) for each in report.keys]
        yield table(("entity", "index", "chosen key", "declared in", "serves", "reason"), rows, "declared in")
    if report.not_served:
        yield Bullets(tuple(_not_served(report)))
    costs = [f"{each.pattern}: {format_dollars(each.dollars)}" for each in report.costs if each.dollars is not None]
    details: tuple[tuple[str, Sequence[object]], ...] = (
        ("Attributes in the indexes", report.projections),
        ("Copies", report.copies),
        ("What each write must be given", report.writes),
        ("Hot partitions", report.hot_keys),
        ("Cost of a month by pattern, with the chosen keys", costs),
        ("Alternatives", report.alternatives),
        ("Guesses", report.guesses),
        ("Assumptions that decide the design", report.assumptions),
        ("What the search covers", (f"{searched_text(report.table)}.",)),
    )
    yield from (Fold(title, (Bullets(tuple(words(str(each)) for each in lines)),)) for title, lines in details if lines)


def _compared(design: Design, report: DesignReport) -> str:
    """Return how the declared keys differ from the chosen keys, as one sentence."""
    if design.keyless:
        return "The model does not contain these keys yet; `singletable design MODEL --write` adds them."
    declared = sum(index.kind != "table" for index in design.indexes.values())
    same = sum(bool(_declared_in(design, report, each)) for each in report.keys)
    count = format_count(declared, "index", "indexes")
    if not report.keys:
        return f"The declared keys use {count}."
    return f"The declared keys use {count}; {same} of {len(report.keys)} chosen keys are declared with the same fields."


def _key_row(design: Design, report: DesignReport, each: KeyReason) -> tuple[str | Words, ...]:
    return (
        words(Code(each.entity)),
        _place(each.alias),
        words(Code(f"{each.partition} / {each.sort}")),
        _declared_in(design, report, each),
        ", ".join(each.serves),
        each.reason,
    )


def _declared_in(design: Design, report: DesignReport, chosen: KeyReason) -> str:
    """Return the table or indexes in which the model declares a key with the same fields in the same order."""
    cls = report.table.model.entity(chosen.entity).cls
    columns = _columns(report.table.after.entity_of(cls).placements[chosen.alias])
    declared = design.entity_of(cls).placements
    return ", ".join(_place(alias) for alias, placement in declared.items() if _columns(placement) == columns)


def _columns(placement: Placement) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the fields of a partition key, and the other fields of the sort key in their order."""
    partition = placement.partition_fields
    sort = (name for part in placement.sort for name in _fields(part))
    return partition, tuple(dict.fromkeys(name for name in sort if name not in partition))


def _fields(part: KeyPart) -> Iterator[str]:
    if isinstance(part, NativePart):
        yield part.field.name
        return
    for each in part.template.parts:
        if not isinstance(each, LiteralText):
            yield from each.fields


def _place(alias: str) -> str:
    return "table" if alias == TABLE else alias


def _not_served(report: DesignReport) -> Iterator[Words]:
    for each in report.not_served:
        yield words(f"No request serves {each.pattern}: {each.reason}. {each.remedy}".rstrip())
