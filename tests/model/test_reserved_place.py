"""Reserved items in a control table: tokens, stream positions, policies and exported tables."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from singletable import ArgumentRefused, Table, entity, native, on
from singletable.engine import Engine
from singletable.engine.access.policy_document import parse_policies
from singletable.engine.access.principal import Principal
from singletable.errors import ExportRefused, RequestRefused
from singletable.export.exported_table import ExportSettings, ProvisionedUnits, exported_table, with_control_tables
from singletable.export.iam_policies import AwsScope, allow_shadow_reads, policies_of
from singletable.model.reserved_place import control_design, place_in_table, reserved_place
from singletable.streams import StreamWorker, WorkerSettings
from singletable.streams.stream_status import stream_status
from tests.export.created import BARE, EXPORTS, by_model

SEEN: list[int] = []


@entity(key=(native("sensor"), native("at")), name="Reading")
@dataclass
class Reading:
    sensor: int
    at: int
    value: int = 0


@on(Reading, "insert")
def note(old: None, new: Reading) -> None:
    SEEN.append(new.at)


class Readings(Table, entities=[Reading], control_table=True, handlers=[note]):
    """Readings with numbers as keys."""


class Controlled(Table, entities=[Reading], name="Controlled", control_table="shared"):
    """Readings with a shared control table."""


class Plain(Table, entities=[Reading], name="Plain"):
    """Readings without a control table."""


def items_of(engine: Engine, table: str) -> list[dict[str, Any]]:
    return sorted(engine.call("Scan", {"TableName": table})["Items"], key=json.dumps)


def test_a_control_table_stores_the_tokens_of_a_table_with_number_keys() -> None:
    with Engine("memory:") as engine, Controlled.open(engine, create=True) as table:
        for attempt in range(2):
            with table.transaction(token="once") as tx:
                tx.put(Reading(1, 2, 3))
            assert tx.is_replay is (attempt == 1)
        with (
            pytest.raises(ArgumentRefused, match="already used by a transaction"),
            table.transaction(token="once") as tx,
        ):
            tx.put(Reading(1, 2, 4))
        assert items_of(engine, "Controlled") == [{**items_of(engine, "Controlled")[0], "value": {"N": "3"}}]
        (token,) = items_of(engine, "shared")
        assert token["item"] == {"S": "Controlled#token#once"}
        assert "expires_at" in token
    with (
        Plain.open("memory:") as plain,
        pytest.raises(ArgumentRefused, match="declare a control table for it"),
        plain.transaction(token="once") as tx,
    ):
        tx.put(Reading(1, 2, 3))


def test_a_control_table_stores_the_positions_of_stream_workers() -> None:
    SEEN.clear()
    with Engine("memory:") as engine, Readings.open(engine, create=True) as table:
        table.put_many([Reading(1, number) for number in range(5)])
        worker = StreamWorker(table, WorkerSettings(lease_seconds=10), wait=lambda seconds: None)
        worker.drain()
        assert sorted(SEEN) == list(range(5))
        assert [each["item"]["S"].split("#")[:2] for each in items_of(engine, "Readings-singletable")] == [
            ["Readings", "stream"]
        ]
        assert len(items_of(engine, "Readings")) == 5
        (shard,) = stream_status(table).shards
        assert shard.state != "not read"
        again = StreamWorker(table, WorkerSettings(lease_seconds=10), wait=lambda seconds: None)
        again.drain()
        assert len(SEEN) == 5


@pytest.mark.parametrize("scope", ["application", "entity", "pattern"])
def test_exported_policies_allow_what_a_client_does_with_a_control_table(scope: Any) -> None:
    with Engine("memory:") as engine:
        Controlled.open(engine, create=True).close()
        for policy in policies_of(exported_table(Controlled.design), scope, AwsScope()):
            principal = Principal("arn:aws:iam::000000000000:role/app", policies=parse_policies(policy.entry))
            with Controlled.open(engine.as_principal(principal)) as table:
                if policy.name.endswith("ReadWrite"):
                    with table.transaction(token=policy.name) as tx:
                        tx.put(Reading(1, 2, 3))
                request = {"TableName": "shared", "Item": {"item": {"S": "Controlled#state"}}}
                with pytest.raises(RequestRefused, match="not authorized"):
                    engine.as_principal(principal).call("PutItem", request)
                other = {"TableName": "shared", "Key": {"item": {"S": "Other#state"}}}
                with pytest.raises(RequestRefused, match="not authorized"):
                    engine.as_principal(principal).call("GetItem", other)


def test_exported_policies_of_shadow_reads_name_the_control_table() -> None:
    policy = policies_of(exported_table(Controlled.design), "application", AwsScope())[0]
    statement = allow_shadow_reads(policy, exported_table(Controlled.design), AwsScope()).statements[-1]
    assert statement["Resource"].endswith(":table/shared")
    held = statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    assert held == ["Controlled#consolidation#*"]
    with pytest.raises(ExportRefused, match="declare a control table"):
        allow_shadow_reads(policy, exported_table(Plain.design), AwsScope())


@pytest.mark.parametrize("export", EXPORTS)
def test_every_export_creates_the_control_table_that_opening_the_model_creates(export: str) -> None:
    settings = replace(BARE, provisioned=ProvisionedUnits(5, 5))
    table, control = with_control_tables([exported_table(Controlled.design, settings=settings)])
    assert (table.name, control.name) == ("Controlled", "shared")
    made = EXPORTS[export](control)
    assert made == by_model(control_design("shared"))
    assert made["ttl"] == "expires_at"


def test_tables_that_share_a_control_table_export_it_once() -> None:
    given = [exported_table(Controlled.design), exported_table(Controlled.design, name="Second")]
    names = [each.name for each in with_control_tables(given)]
    assert names == ["Controlled", "Second", "shared"]
    assert with_control_tables([exported_table(Plain.design)])[0].name == "Plain"
    settings = ExportSettings()
    assert with_control_tables([exported_table(Controlled.design, settings=settings)])[1].settings.stream is None


def test_the_place_of_reserved_items_follows_the_declared_control_table() -> None:
    assert reserved_place(Plain.design, "Plain") is None
    assert place_in_table(Controlled.design, "Controlled") is None
    shared = reserved_place(Controlled.design, "Other")
    assert shared is not None
    assert shared.key("$singletable#state") == {"item": {"S": "Other#state"}}
    named = reserved_place(Readings.design, "Blue")
    assert named is not None
    assert named.table == "Blue-singletable"
