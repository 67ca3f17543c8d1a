"""The design of a live table as DescribeTable shows it."""

from __future__ import annotations

import pytest

from singletable.evolve.described_table import described_snapshot
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.differences import differences
from singletable.model.design import Design
from singletable.model.table_schema import create_table_request
from tests.evolve.models import Everything, Native


@pytest.mark.parametrize("design", [Everything.design, Native.design], ids=["everything", "native"])
def test_a_table_created_from_the_model_has_no_differences(design: Design) -> None:
    model = snapshot_of(design)
    assert described_snapshot(model, create_table_request(design, "T"), design.ttl_attribute) == model


def test_a_table_with_other_indexes_has_differences() -> None:
    model = snapshot_of(Everything.design)
    description = create_table_request(Everything.design, "T")
    one, *others = description["GlobalSecondaryIndexes"]
    other = {**one, "IndexName": "Unknown"}
    found = described_snapshot(model, {**description, "GlobalSecondaryIndexes": [other, *others]}, None)
    kinds = [(each.kind, each.subject) for each in differences(found, model)]
    assert ("TTL changed", "the table") in kinds
    assert ("index added", one["IndexName"]) in kinds
    assert ("index dropped", "Unknown") in kinds
    projected = {**one, "Projection": {"ProjectionType": "ALL"}}
    found = described_snapshot(model, {**description, "GlobalSecondaryIndexes": [projected, *others]}, "expires")
    assert [(each.kind, each.subject) for each in differences(found, model)] == [("index changed", "gsi1")]
