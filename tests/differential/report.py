"""The report of a run: each kind of difference with an example, and how often each reason applied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.differential.intended_differences import INTENDED
from tests.differential.run import Found, RunResult

SHOWN_CHARACTERS_MAX = 1_500


def format_report(outcome: RunResult, folder: Path) -> str:
    """Return the report, and write the examples to a folder. They can be replayed from there."""
    lines = []
    for number, found in enumerate(sorted(outcome.found.values(), key=lambda each: -each.count), start=1):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{number:03}.json"
        path.write_text(json.dumps(found.example, indent=1), encoding="utf-8")
        lines += [*_found(number, found), f"  replay   {path}", ""]
    if outcome.intended:
        lines.append("Intended differences and their reasons:")
        lines += [f"{count:7,} {each.name}: {each.reason}" for each, count in outcome.intended.most_common()]
        lines.append("")
    done = ", ".join(f"{action} {count:,}" for action, count in outcome.actions.most_common())
    lines.append(f"{outcome.steps:,} requests, {outcome.rejected:,} of them rejected by the other side: {done}")
    kinds = len(outcome.found)
    times = sum(found.count for found in outcome.found.values())
    intended = sum(outcome.intended.values())
    lines.append(f"{kinds} kinds of unexplained differences ({times:,} times), {intended:,} intended differences")
    return "\n".join(lines)


def intended() -> str:
    """Return the intended differences as a Markdown list."""
    return "\n".join(f"- **{each.name}**: {each.reason}." for each in INTENDED)


def _found(number: int, found: Found) -> list[str]:
    actions = ", ".join(f"{action} {count}" for action, count in found.actions.most_common())
    example = found.example
    return [
        f"{number}. {found.count} times ({actions}): {example['path']}",
        f"  ours     {_short(example['ours'])}",
        f"  theirs   {_short(example['theirs'])}",
        f"  request  {example['action']} {_short(example['request'])}",
        *([f"  items    {_short(example['items'])}"] if example["items"] else []),
    ]


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(_abbreviated(value), ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARACTERS_MAX else f"{text[:SHOWN_CHARACTERS_MAX]} ..."


def _abbreviated(value: Any) -> Any:
    if isinstance(value, str) and len(value) > 80:
        return f"{value[:20]}... ({len(value)} characters)"
    if isinstance(value, dict):
        return {_abbreviated(name): _abbreviated(inner) for name, inner in value.items()}
    return [_abbreviated(inner) for inner in value] if isinstance(value, list) else value
