"""UpdateTable: other units, another billing mode, indexes that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.actions.create_table import ceiling_of, stream_of
from singletable.engine.definition import TableDefinition
from singletable.engine.describe import attribute_definitions, table_description
from singletable.engine.encryption import KeyHome, with_encryption
from singletable.engine.index_updates import check_index_updates, check_units_of_all, with_index_updates
from singletable.engine.table_rules import NO_VECTORS, check_on_demand, check_stream, check_table_class, check_units
from singletable.engine.throughput_changes import changed_units, first_units, without_ceilings, without_units
from singletable.engine.warm_throughput import TABLE, asks_for_units, raised, remembered, warm_units
from singletable.errors import RequestRefused, invalid
from singletable.wire.tables import OnDemandThroughput, StreamSpecification, TableDescriptionResult, UpdateTable

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_INVALID = "One or more parameter values were invalid: "


def update_table(engine: Engine, request: UpdateTable) -> TableDescriptionResult:
    """Changes the definition at once; a new index is filled while the table is in use."""
    _check_request(request)

    def change(definition: TableDefinition) -> TableDefinition:
        _check_against(request, definition)
        return _changed(request, definition, engine.now(), KeyHome(engine.region, engine.account))

    before, after = engine.catalog.change(request.table_name, change)
    engine.backfill.start_missing()
    told = _as_told(before, after)
    description = table_description(told, engine.arn(after.name), "UPDATING", {}, engine.now())
    description["AttributeDefinitions"] = attribute_definitions(after)
    if request.on_demand_throughput is not None:
        taken_away = _taken_away(request.on_demand_throughput)
        description["OnDemandThroughput"] = {**description.get("OnDemandThroughput", {}), **taken_away}
    return TableDescriptionResult(table_description=description)


def _check_request(request: UpdateTable) -> None:
    """What can be refused without knowing the table."""
    changes = (
        request.provisioned_throughput,
        request.billing_mode,
        request.global_secondary_index_updates or None,
        request.sse_specification,
        request.table_class,
        request.deletion_protection_enabled,
        _said(request.on_demand_throughput),
        request.stream_specification,
        request.warm_throughput if asks_for_units(request.warm_throughput) else None,
    )
    if request.replica_updates:
        raise invalid(f"{_INVALID}ReplicaUpdates is not served by this engine: it is one machine")
    if request.vector_index_updates:
        raise invalid(f"{_INVALID}VectorIndexUpdates is {NO_VECTORS}")
    given = sum(change is not None for change in changes)
    if not given:
        raise invalid(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
            "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
            "MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is "
            "required"
        )
    if given > 1:
        _check_alone(request, given)
    check_table_class(request.table_class)
    if request.billing_mode == "PAY_PER_REQUEST" and request.provisioned_throughput is not None:
        raise _no_units_when_on_demand()
    check_units(request.provisioned_throughput)
    check_stream(request.stream_specification, is_new=False)
    check_index_updates(request)


def _check_alone(request: UpdateTable, given: int) -> None:
    """Refuses what the service changes only by itself, in its order of naming them (captured)."""
    if request.sse_specification is not None:
        raise invalid(f"{_INVALID}Server-Side Encryption modification must be the only operation in the request")
    if request.table_class is not None:
        raise invalid(f"{_INVALID}TableClass modification must be the only operation in the request")
    if request.deletion_protection_enabled is not None:
        raise invalid(f"{_INVALID}DeletionProtection modification must be the only operation in the request")
    if asks_for_units(request.warm_throughput):
        if any(update.create is not None for update in request.global_secondary_index_updates or ()):
            raise invalid(f"{_INVALID}Create global secondary index cannot be specified when updating WarmThroughput")
        raise invalid(f"{_INVALID}WarmThroughput must be the only operation in the request")
    is_with_mode = request.billing_mode is not None and given == 2
    if _said(request.on_demand_throughput) is not None and not is_with_mode:
        raise invalid(f"{_INVALID}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request")
    is_bought = request.provisioned_throughput is not None or request.billing_mode == "PROVISIONED"
    if request.stream_specification is not None and is_bought:
        raise invalid(f"{_INVALID}You cannot modify stream status while updating table IOPS")


def _said(asked: OnDemandThroughput | None) -> OnDemandThroughput | None:
    """A ceiling that says something; an empty structure is taken for none (captured)."""
    if asked is None or (asked.max_read_request_units, asked.max_write_request_units) == (None, None):
        return None
    return asked


def _check_against(request: UpdateTable, definition: TableDefinition) -> None:
    """What can only be refused knowing the table."""
    mode = request.billing_mode or definition.billing_mode
    if mode == "PAY_PER_REQUEST" and request.provisioned_throughput is not None:
        raise _no_units_when_on_demand()
    if request.billing_mode == "PROVISIONED" and request.provisioned_throughput is None:
        raise invalid(f"{_INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    check_on_demand(request.on_demand_throughput, mode, is_new=False)
    if request.billing_mode == "PROVISIONED" and definition.billing_mode == "PAY_PER_REQUEST":
        check_units_of_all(request, definition)


def _no_units_when_on_demand() -> RequestRefused:
    return invalid(
        f"{_INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST"
    )


def _changed(request: UpdateTable, definition: TableDefinition, now: float, home: KeyHome) -> TableDefinition:
    changed = with_index_updates(request, remembered(definition), now)
    mode = request.billing_mode or definition.billing_mode
    is_other_mode = mode != definition.billing_mode
    if is_other_mode and mode == "PAY_PER_REQUEST":
        changed = without_units(msgspec.structs.replace(changed, billing_mode=mode, billing_chosen_at=now), now)
    elif is_other_mode:
        changed = without_ceilings(msgspec.structs.replace(changed, billing_mode=mode))
    bought = request.provisioned_throughput
    if bought is not None:
        had = definition.throughput
        units = first_units(had, bought, now) if is_other_mode else changed_units(had, bought, now, "the table")
        changed = msgspec.structs.replace(changed, throughput=units)
    if request.on_demand_throughput is not None:
        ceiling = ceiling_of(request.on_demand_throughput, before=changed.on_demand)
        changed = msgspec.structs.replace(changed, on_demand=ceiling)
    if request.warm_throughput is not None:
        has = warm_units(changed.warm, mode, changed.throughput)
        changed = msgspec.structs.replace(changed, warm=raised(has, request.warm_throughput, TABLE))
    if request.sse_specification is not None:
        changed = with_encryption(changed, request.sse_specification, home)
    if request.table_class is not None and request.table_class != (definition.table_class or "STANDARD"):
        changed = msgspec.structs.replace(changed, table_class=request.table_class, table_class_changed_at=now)
    if request.deletion_protection_enabled is not None:
        changed = msgspec.structs.replace(changed, is_protected=request.deletion_protection_enabled)
    if request.stream_specification is not None:
        changed = _with_stream(changed, request.stream_specification, now)
    return changed


def _with_stream(definition: TableDefinition, asked: StreamSpecification, now: float) -> TableDefinition:
    if not asked.stream_enabled:
        if definition.stream is None:
            raise invalid(f"Table has no stream to disable: TableName: {definition.name}")
        return msgspec.structs.replace(definition, stream=None)
    if definition.stream is not None:
        raise invalid(f"Table already has an enabled stream: TableName: {definition.name}")
    stream = stream_of(asked, now)
    while stream is not None and stream.label == definition.latest_stream:
        # Two streams within a millisecond: the later one is labelled with the next.
        now += 0.001
        stream = stream_of(asked, now)
    assert stream is not None
    return msgspec.structs.replace(definition, stream=stream, latest_stream=stream.label)


def _taken_away(asked: OnDemandThroughput) -> dict[str, int]:
    """The sides of a ceiling that were given up: the answer repeats their -1, a description omits them (captured)."""
    members = (
        ("MaxReadRequestUnits", asked.max_read_request_units),
        ("MaxWriteRequestUnits", asked.max_write_request_units),
    )
    return {member: units for member, units in members if units == -1}


def _as_told(before: TableDefinition, after: TableDefinition) -> TableDefinition:
    """The answer shows the units as they were while the status is UPDATING, with the new dates (captured).

    An index that was deleted is still told, as DELETING; the next description is without it.
    """
    gone = [index for index in before.indexes if after.index(index.name) is None]
    deleting = (msgspec.structs.replace(index, status="DELETING") for index in gone)
    after = msgspec.structs.replace(after, indexes=(*after.indexes, *deleting))
    if before.throughput is None or after.throughput is None or before.billing_mode != after.billing_mode:
        return after
    shown = msgspec.structs.replace(
        after.throughput, read_units=before.throughput.read_units, write_units=before.throughput.write_units
    )
    return msgspec.structs.replace(after, throughput=shown)
