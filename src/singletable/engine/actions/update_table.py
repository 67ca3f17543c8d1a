"""UpdateTable: changes the capacity, billing mode, indexes, stream or other settings of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.indexes.index_updates import check_index_updates, check_units_of_all, with_index_updates
from singletable.engine.tables.encryption import KeyScope, with_encryption
from singletable.engine.tables.new_definition import stream_of
from singletable.engine.tables.table_definition import TableDefinition
from singletable.engine.tables.table_description import attribute_definitions, table_description
from singletable.engine.tables.table_validation import (
    NO_VECTORS,
    check_on_demand,
    check_stream,
    check_table_class,
    check_units,
)
from singletable.engine.tables.throughput import (
    TABLE,
    ceiling_of,
    changed_units,
    first_units,
    raised_warm_units,
    requests_units,
    to_on_demand,
    warm_units,
    with_warm_units,
    without_ceilings,
)
from singletable.errors import RequestRefused, invalid
from singletable.wire.table_requests import OnDemandThroughput, StreamSpecification, TableDescriptionResult, UpdateTable

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_INVALID = "One or more parameter values were invalid: "


def update_table(engine: Engine, request: UpdateTable) -> TableDescriptionResult:
    """Change the definition at once. A new index is filled in the background while the table is in use."""
    _check_request(request)

    def change(definition: TableDefinition) -> TableDefinition:
        _check_against(request, definition)
        return _changed(request, definition, engine.now(), KeyScope(engine.region, engine.account))

    before, after = engine.catalog.change(request.table_name, change)
    engine.backfill.start_missing()
    shown = _as_shown(before, after)
    description = table_description(shown, engine.arn(after.name), "UPDATING", {}, engine.now())
    description["AttributeDefinitions"] = attribute_definitions(after)
    if request.on_demand_throughput is not None:
        removed = _removed_ceilings(request.on_demand_throughput)
        description["OnDemandThroughput"] = {**description.get("OnDemandThroughput", {}), **removed}
    return TableDescriptionResult(table_description=description)


def _check_request(request: UpdateTable) -> None:
    """Run the checks that do not need the table."""
    changes = (
        request.provisioned_throughput,
        request.billing_mode,
        request.global_secondary_index_updates or None,
        request.sse_specification,
        request.table_class,
        request.deletion_protection_enabled,
        _non_empty(request.on_demand_throughput),
        request.stream_specification,
        request.warm_throughput if requests_units(request.warm_throughput) else None,
    )
    if request.replica_updates:
        raise invalid(f"{_INVALID}ReplicaUpdates is not supported by this engine: it runs on one machine")
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
    """Reject changes that cannot be combined in one request, in DynamoDB's order of checks (captured from AWS)."""
    if request.sse_specification is not None:
        raise invalid(f"{_INVALID}Server-Side Encryption modification must be the only operation in the request")
    if request.table_class is not None:
        raise invalid(f"{_INVALID}TableClass modification must be the only operation in the request")
    if request.deletion_protection_enabled is not None:
        raise invalid(f"{_INVALID}DeletionProtection modification must be the only operation in the request")
    if requests_units(request.warm_throughput):
        if any(update.create is not None for update in request.global_secondary_index_updates or ()):
            raise invalid(f"{_INVALID}Create global secondary index cannot be specified when updating WarmThroughput")
        raise invalid(f"{_INVALID}WarmThroughput must be the only operation in the request")
    is_with_mode = request.billing_mode is not None and given == 2
    if _non_empty(request.on_demand_throughput) is not None and not is_with_mode:
        raise invalid(f"{_INVALID}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request")
    is_bought = request.provisioned_throughput is not None or request.billing_mode == "PROVISIONED"
    if request.stream_specification is not None and is_bought:
        raise invalid(f"{_INVALID}You cannot modify stream status while updating table IOPS")


def _non_empty(requested: OnDemandThroughput | None) -> OnDemandThroughput | None:
    """Return the on-demand maximums. Like DynamoDB, treat an empty structure as missing (captured from AWS)."""
    if requested is None or (requested.max_read_request_units, requested.max_write_request_units) == (None, None):
        return None
    return requested


def _check_against(request: UpdateTable, definition: TableDefinition) -> None:
    """Run the checks that need the table."""
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


def _changed(request: UpdateTable, definition: TableDefinition, now: float, home: KeyScope) -> TableDefinition:
    changed = with_index_updates(request, with_warm_units(definition), now)
    mode = request.billing_mode or definition.billing_mode
    is_other_mode = mode != definition.billing_mode
    if is_other_mode and mode == "PAY_PER_REQUEST":
        changed = to_on_demand(msgspec.structs.replace(changed, billing_mode=mode, billing_chosen_at=now), now)
    elif is_other_mode:
        changed = without_ceilings(msgspec.structs.replace(changed, billing_mode=mode))
    provisioned = request.provisioned_throughput
    if provisioned is not None:
        old = definition.throughput
        units = (
            first_units(old, provisioned, now) if is_other_mode else changed_units(old, provisioned, now, "the table")
        )
        changed = msgspec.structs.replace(changed, throughput=units)
    if request.on_demand_throughput is not None:
        ceiling = ceiling_of(request.on_demand_throughput, before=changed.on_demand)
        changed = msgspec.structs.replace(changed, on_demand=ceiling)
    if request.warm_throughput is not None:
        has = warm_units(changed.warm, mode, changed.throughput)
        changed = msgspec.structs.replace(changed, warm=raised_warm_units(has, request.warm_throughput, TABLE))
    if request.sse_specification is not None:
        changed = with_encryption(changed, request.sse_specification, home)
    if request.table_class is not None and request.table_class != (definition.table_class or "STANDARD"):
        changed = msgspec.structs.replace(changed, table_class=request.table_class, table_class_changed_at=now)
    if request.deletion_protection_enabled is not None:
        changed = msgspec.structs.replace(changed, is_protected=request.deletion_protection_enabled)
    if request.stream_specification is not None:
        changed = _with_stream(changed, request.stream_specification, now)
    return changed


def _with_stream(definition: TableDefinition, requested: StreamSpecification, now: float) -> TableDefinition:
    if not requested.stream_enabled:
        if definition.stream is None:
            raise invalid(f"Table has no stream to disable: TableName: {definition.name}")
        return msgspec.structs.replace(definition, stream=None)
    if definition.stream is not None:
        raise invalid(f"Table already has an enabled stream: TableName: {definition.name}")
    stream = stream_of(requested, now)
    while stream is not None and stream.label == definition.latest_stream:
        # Stream labels are timestamps and must be unique, so a second stream in the same millisecond uses the next one.
        now += 0.001
        stream = stream_of(requested, now)
    assert stream is not None
    return msgspec.structs.replace(definition, stream=stream, latest_stream=stream.label)


def _removed_ceilings(requested: OnDemandThroughput) -> dict[str, int]:
    """Return the on-demand maximums that the request removes with -1.

    The response to this request repeats the -1. Later table descriptions omit the removed maximums (captured from AWS).
    """
    members = (
        ("MaxReadRequestUnits", requested.max_read_request_units),
        ("MaxWriteRequestUnits", requested.max_write_request_units),
    )
    return {member: units for member, units in members if units == -1}


def _as_shown(before: TableDefinition, after: TableDefinition) -> TableDefinition:
    """Return the table definition for the response, with the old capacity units and the new dates (captured from AWS).

    The response still includes a deleted index, with the status DELETING. Later table descriptions omit the index.
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
