"""Published workloads: the chosen keys with their certificates as text, proved by `check` and by the witness check."""

from __future__ import annotations

import importlib
import json
import os
import random
from pathlib import Path

import pytest

from singletable import Table
from singletable.conformance.witness import witness
from singletable.cost.prices import prices_of
from singletable.design.design_report import design_report
from singletable.design.designed_table import DesignedTable, design_table
from singletable.design.model_workload import DesignOptions
from singletable.design.redesign import without_keys
from singletable.model.design import Design, compile_declarations
from singletable.planner.planner import plan_all
from singletable.verify.design_check import check
from tests.cli.program import singletable
from tests.design.workloads.auction_site import Bidding

GOLDEN = Path(__file__).parent / "golden"
TABLES = [
    ("examples.shop.model", "Shop", 1),
    ("examples.papers.model", "Papers", 1),
    ("examples.commerce.model", "Commerce", 2),
    ("tests.design.workloads.commerce_one_item", "Commerce", 3),
    ("examples.guide.model", "Guide", 1),
    ("tests.design.workloads.online_shop", "OnlineShop", 2),
    ("tests.design.workloads.device_log", "Published", 2),
    ("tests.design.workloads.device_log", "WithDates", 3),
    ("tests.design.workloads.auction_site", "Browsing", 2),
    ("tests.design.workloads.auction_site", "Bidding", 3),
    ("tests.design.workloads.hotel_reviews", "HotelReviews", 0),
]
IDS = [f"{module.split('.')[-2]}_{module.split('.')[-1]}_{name}" for module, name, _ in TABLES]


def designed(module: str, name: str) -> DesignedTable:
    table: type[Table] = getattr(importlib.import_module(module), name)
    return design_table(without_keys(table.design))


@pytest.mark.parametrize(("module", "name", "indexes"), TABLES, ids=IDS)
def test_the_design_of_every_workload_has_the_fewest_indexes_as_check_and_witness_prove(
    module: str, name: str, indexes: int
) -> None:
    table = designed(module, name)
    assert table.solution.indexes == indexes
    assert not table.not_served
    assert all(each.verdict.is_served for each in plan_all(table.after))
    assert [str(each) for each in check(table.after).findings if each.fails] == []
    report = witness(table.after, seed=25)
    assert report.passes, "\n".join(map(str, report.differences))
    assert report.items
    assert sum(report.calls.values())


@pytest.mark.parametrize(("module", "name", "indexes"), TABLES, ids=IDS)
def test_the_design_report_of_every_workload_is_the_golden_text(module: str, name: str, indexes: int) -> None:
    output = singletable("design", f"{module.replace('.', '/')}.py:{name}", "--redesign").stdout
    golden = GOLDEN / f"{'_'.join(module.split('.')[-2:])}_{name}.txt"
    if os.environ.get("REWRITE_GOLDEN"):
        golden.write_text(output, encoding="utf-8")
    assert output == golden.read_text(encoding="utf-8"), f"REWRITE_GOLDEN=1 writes {golden.name}"


def test_the_design_report_of_a_workload_does_not_depend_on_the_order_of_entities_and_patterns() -> None:
    design = without_keys(Bidding.design)
    expected = document(design)
    for seed in range(3):
        chance = random.Random(seed)
        declarations = [each.declaration for each in design.all_entities]
        patterns = list(design.patterns)
        chance.shuffle(declarations)
        chance.shuffle(patterns)
        assert document(compile_declarations(design.settings, declarations, patterns)) == expected


def document(design: Design) -> str:
    options = DesignOptions()
    report = design_report(design_table(design, options), options, prices_of("us-east-1"))
    return json.dumps(report.document())
