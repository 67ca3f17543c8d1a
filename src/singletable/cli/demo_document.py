"""A demo as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from singletable.demo.captured import Captured
from singletable.demo.keeping import Kept
from singletable.demo.systems import NeedsPackage
from singletable.demo.table_per_entity import COMPARISON
from singletable.demo.tour import Asked, Tour
from singletable.demo.words import answer_lines


def document(
    tours: Sequence[Tour], lacking: Sequence[NeedsPackage], path: Path | None, kept: Sequence[Kept]
) -> dict[str, Any]:
    """Everything that was asked, sent, answered and measured."""
    return {
        "comparison": COMPARISON.replace("\n", " "),
        "systems": [_system(tour) for tour in tours],
        "not_shown": [{"name": each.system, "needs": each.package} for each in lacking],
        "kept": None if path is None else {"path": str(path), "tables": [_kept(each) for each in kept]},
    }


def _system(tour: Tour) -> dict[str, Any]:
    return {
        "name": tour.system.name,
        "title": tour.system.title,
        "tables": [
            {
                "name": filled.name,
                "entities": [entity.label for entity in filled.model.design.entities],
                "items": len(filled.items),
            }
            for filled in tour.tables
        ],
        "patterns": [_asked(asked) for asked in tour.asked],
        "cost": asdict(tour.cost),
        "cost_with_a_table_per_entity": asdict(tour.cost_elsewhere),
    }


def _asked(asked: Asked) -> dict[str, Any]:
    return {
        "name": asked.name,
        "title": asked.title,
        "requests": _requests(asked.requests),
        "answer": answer_lines(asked),
        "cost": asdict(asked.cost),
        "cost_with_a_table_per_entity": asdict(asked.cost_elsewhere),
        "requests_with_a_table_per_entity": _requests(asked.elsewhere),
    }


def _requests(requests: Iterable[Captured]) -> list[dict[str, Any]]:
    return [
        {
            "operation": each.operation,
            "parameters": each.parameters,
            "units": each.cost.units,
            "pattern": each.pattern,
            "refusal": each.refusal,
        }
        for each in requests
    ]


def _kept(kept: Kept) -> dict[str, Any]:
    return {"name": kept.name, "system": kept.system, "model": kept.model.__name__, "items": kept.items}
