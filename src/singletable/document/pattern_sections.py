"""The sections on access patterns: the worksheet, the plans, and each pattern with its request and its proof."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from singletable.document.blocks import (
    Badge,
    Block,
    Bullets,
    Code,
    Fold,
    Link,
    Listing,
    Paragraph,
    Section,
    Tone,
    Words,
    table,
    words,
)
from singletable.document.drawn import draw_read
from singletable.document.item_collections import Item
from singletable.document.sample_call import Rows, SampleCall, sample_call
from singletable.model.design import Design
from singletable.planner.bind import Request
from singletable.planner.explain import proof, verdict_text
from singletable.planner.plan import Outcome, Plan, Refusal, Verdict
from singletable.planner.remedy import remedy
from singletable.verify.check import Report
from singletable.verify.worksheet import Row, worksheet

_TONES: Mapping[Verdict, Tone] = {
    Verdict.ONE_REQUEST: "good",
    Verdict.DECLARED_FANOUT: "good",
    Verdict.UNDECLARED_FANOUT: "bad",
    Verdict.REFUSED: "bad",
}
_REQUESTS_SHOWN = 2
# A value with its type, which JSON spreads over three lines; no text in JSON holds a line's end.
_ONE_VALUE = re.compile(r'\{\n +("(?:S|N|B|BOOL|NULL)": [^\n{\[]+)\n +\}')


def anchor_of(design: Design, pattern: str) -> str:
    """Where a pattern's section can be reached."""
    return f"{design.name}.{pattern}".lower()


def worksheet_section(report: Report, anchor: str) -> Section:
    """What is asked of the table, and the request that answers it; row by row."""
    design = report.design
    rows = worksheet(design, report.outcomes)
    asked = table(
        ("#", "access pattern", "entry entity", "filters / range", "sort direction", "frequency", "latency budget",
         "expected"),
        [
            (str(row.number), words(f"{row.title} ", _link(design, row)), row.entry, row.filters, row.sort,
             row.frequency, row.budget, row.expected)
            for row in rows
        ],
        "filters / range", "sort direction", "frequency", "latency budget", "expected",
    )  # fmt: skip
    answered = table(
        ("#", "pattern", "operation", "index", "key condition", "limit", "entities", "cost", "verdict"),
        [
            (str(row.number), _link(design, row), row.operation, row.index,
             Code(row.key_condition) if row.key_condition else "", row.limit, row.entities, row.cost,
             _badge(outcome))
            for row, outcome in zip(rows, report.outcomes, strict=True)
        ],
        "limit",
    )  # fmt: skip
    return Section(
        "Worksheet",
        anchor,
        (asked, Paragraph(words("And what answers each of them:")), answered),
    )


def pattern_section(report: Report, items: Sequence[Item], rows: Rows, anchor: str) -> Section:
    """Each pattern: its request, why it is enough, and what it reads."""
    numbered = enumerate(report.outcomes, 1)
    sections = tuple(_pattern(report.design, number, outcome, items, rows) for number, outcome in numbered)
    return Section("Access patterns", anchor, (), sections)


def _pattern(design: Design, number: int, outcome: Outcome, items: Sequence[Item], rows: Rows) -> Section:
    pattern = outcome.pattern
    anchor = anchor_of(design, pattern.name)
    title = f"{number}. {pattern.title}"
    if isinstance(outcome, Refusal):
        blocks: list[Block] = [
            Paragraph(words(Code(pattern.name), " ", _badge(outcome))),
            Bullets((words(outcome.reason), words(remedy(design, outcome)))),
        ]
        return Section(title, anchor, (*blocks, *_passed_over(outcome)))
    call = sample_call(design, outcome, rows)
    said = Code(call.text if call is not None else pattern.name)
    blocks = [Paragraph(words(said, " ", _badge(outcome)))]
    if call is not None and not pattern.is_write:
        drawn = draw_read(design, items, call.requests, anchor, pattern.title, call.text)
        if drawn is not None:
            blocks.append(drawn.picture)
            blocks += [Paragraph(words(drawn.left_out))] * bool(drawn.left_out)
    # The verdict stands beside the call already.
    lines = [line for line in proof(design, outcome) if not line.startswith("verdict:")]
    blocks.append(Bullets(tuple(_proved(line) for line in lines)))
    if call is not None:
        blocks.append(_requests(call))
    return Section(title, anchor, (*blocks, *_passed_over(outcome)))


def _proved(line: str) -> Words:
    """A sentence of the proof; what follows the first one's colon is a condition, and set as such."""
    head, colon, rest = line.partition(": ")
    return words(f"{head}: ", Code(rest)) if colon and " = " in rest and " on " in head else words(line)


def _requests(call: SampleCall) -> Fold:
    shown = call.requests[:_REQUESTS_SHOWN]
    blocks: list[Block] = [Listing(_as_sent(request), "json") for request in shown]
    left = len(call.requests) - len(shown)
    if left:
        blocks.append(Paragraph(words(f"and {left:,} more like {'it' if left == 1 else 'these'}.")))
    operations = ", ".join(dict.fromkeys(request.operation for request in call.requests))
    what = "The request" if len(call.requests) == 1 else f"The {len(call.requests):,} requests"
    return Fold(f"{what}: {operations}", tuple(blocks))


def _as_sent(request: Request) -> str:
    written = json.dumps(request.parameters, indent=2, ensure_ascii=False)
    return _ONE_VALUE.sub(r"{ \1 }", written)


def _passed_over(outcome: Outcome) -> tuple[Block, ...]:
    if not outcome.passed_over:
        return ()
    reasons = tuple(words(Code(each.index), f": {'; '.join(each.reasons)}") for each in outcome.passed_over)
    return (Fold("Why no other index", (Bullets(reasons),)),)


def _badge(outcome: Outcome) -> Badge:
    return Badge(verdict_text(outcome), _TONES[outcome.verdict])


def _link(design: Design, row: Row) -> Link:
    return Link(row.pattern, anchor_of(design, row.pattern))


def is_served(outcome: Outcome) -> bool:
    """Whether a pattern is answered as it was declared."""
    return isinstance(outcome, Plan) and outcome.verdict in {Verdict.ONE_REQUEST, Verdict.DECLARED_FANOUT}
