"""The section on findings: what is open with the way out, and what was accepted with the reason."""

from __future__ import annotations

from singletable.document.blocks import Badge, Block, Code, Paragraph, Section, Text, Words, table, words
from singletable.verify.check import Report
from singletable.verify.finding import Finding


def finding_section(report: Report, anchor: str) -> Section:
    """Everything that the rules found."""
    still = [finding for finding in report.findings if finding.accepted is None]
    accepted = [finding for finding in report.findings if finding.accepted is not None]
    blocks: list[Block] = []
    if still:
        rows = [(_code(each), _message(each), each.remedy) for each in still]
        blocks.append(table(("finding", "what", "way out"), rows))
    else:
        blocks.append(Paragraph(words("Nothing is open.")))
    if accepted:
        blocks.append(Paragraph(words("Accepted, each for a reason:")))
        rows = [(_code(each), _message(each), each.accepted or "") for each in accepted]
        blocks.append(table(("finding", "what", "reason"), rows))
    return Section("Findings", anchor, tuple(blocks))


def _code(finding: Finding) -> Words:
    if finding.accepted is not None:
        return words(Code(finding.code), " ", Badge("accepted", "plain"))
    return words(Code(finding.code), " ", Badge(finding.severity, "bad" if finding.severity == "error" else "warning"))


def _message(finding: Finding) -> Words:
    said = f"{finding.rule.title}: {finding.message}"
    return words(said, *(Text(f" · {detail.strip()}") for detail in finding.details))
