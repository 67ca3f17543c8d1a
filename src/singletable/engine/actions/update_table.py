"""UpdateTable: other units, another billing mode, indexes that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.actions.create_table import ceiling_of, new_index, throughput_of
from singletable.engine.definition import TableDefinition, Throughput
from singletable.engine.describe import attribute_definitions, table_description
from singletable.engine.table_rules import (
    attribute_kinds,
    check_global_index,
    check_on_demand,
    check_units,
    limit_exceeded,
)
from singletable.errors import RequestRefused, invalid
from singletable.values.limits import GSI_COUNT_MAX
from singletable.wire.tables import (
    CreateGlobalSecondaryIndex,
    DeleteGlobalSecondaryIndex,
    OnDemandThroughput,
    ProvisionedThroughput,
    TableDescriptionResult,
    UpdateGlobalSecondaryIndex,
    UpdateTable,
)

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_INVALID = "One or more parameter values were invalid: "
_KINDS_OF_UPDATE = tuple(f"GlobalSecondaryIndexUpdate.{kind}" for kind in ("Update", "Create", "Delete"))


def update_table(engine: Engine, request: UpdateTable) -> TableDescriptionResult:
    """Changes the definition at once; a new index is filled while the table is in use."""
    _check_request(request)

    def change(definition: TableDefinition) -> TableDefinition:
        _check_against(request, definition)
        return _changed(request, definition, engine.now())

    before, after = engine.catalog.change(request.table_name, change)
    engine.backfill.start_missing()
    description = table_description(_as_told(before, after), engine.arn(after.name), "UPDATING", {})
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
        request.on_demand_throughput,
        request.stream_specification,
    )
    if request.replica_updates:
        raise invalid(f"{_INVALID}ReplicaUpdates is not served by this engine: it is one machine")
    if request.stream_specification is not None and request.stream_specification.stream_enabled:
        raise invalid(f"{_INVALID}StreamSpecification is not served by this engine: leave StreamEnabled out")
    if all(change is None for change in changes):
        raise invalid(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
            "SSESpecification or ReplicaUpdates is required"
        )
    if request.billing_mode == "PAY_PER_REQUEST" and request.provisioned_throughput is not None:
        raise _no_units_when_on_demand()
    check_units(request.provisioned_throughput)
    _check_index_updates(request)


def _check_index_updates(request: UpdateTable) -> None:
    updates = request.global_secondary_index_updates or []
    named: set[str] = set()
    for update in updates:
        given = [each for each in (update.update, update.create, update.delete) if each is not None]
        if len(given) != 1:
            raise invalid(f"{_INVALID}One of {', '.join(_KINDS_OF_UPDATE)} must not be null")
        if given[0].index_name in named:
            raise invalid(
                f"{_INVALID}Only one global secondary index update per index is allowed simultaneously. "
                f"Index: {given[0].index_name}"
            )
        named.add(given[0].index_name)
    online = [update for update in updates if update.create is not None or update.delete is not None]
    if len(online) > 1:
        raise limit_exceeded(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        )


def _check_against(request: UpdateTable, definition: TableDefinition) -> None:
    """What can only be refused knowing the table."""
    mode = request.billing_mode or definition.billing_mode
    if mode == "PAY_PER_REQUEST" and request.provisioned_throughput is not None:
        raise _no_units_when_on_demand()
    if request.billing_mode == "PROVISIONED" and request.provisioned_throughput is None:
        raise invalid(f"{_INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    check_on_demand(request.on_demand_throughput, mode, is_new=False)
    bought, had = throughput_of(request.provisioned_throughput), definition.throughput
    is_change_of_mode = request.billing_mode is not None and request.billing_mode != definition.billing_mode
    if not is_change_of_mode:
        _refuse_same_units("table", had, bought)


def _no_units_when_on_demand() -> RequestRefused:
    return invalid(
        f"{_INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST"
    )


def _refuse_same_units(what: str, had: Throughput | None, bought: Throughput | None) -> None:
    """Units that are bought again, for the table or for one of its indexes, are a mistake."""
    if had is None or bought is None:
        return
    if (had.read_units, had.write_units) != (bought.read_units, bought.write_units):
        return
    kind = what.partition(" ")[0]
    raise invalid(
        f"The provisioned throughput for the {what} will not change. The requested value equals the current value. "
        f"Current ReadCapacityUnits provisioned for the {kind}: {had.read_units}. Requested ReadCapacityUnits: "
        f"{bought.read_units}. Current WriteCapacityUnits provisioned for the {kind}: {had.write_units}. "
        f"Requested WriteCapacityUnits: {bought.write_units}. Refer to the Amazon DynamoDB Developer Guide for "
        "current limits and how to request higher limits."
    )


def _changed(request: UpdateTable, definition: TableDefinition, now: float) -> TableDefinition:
    changed = _with_indexes(request, definition, now)
    mode = request.billing_mode or definition.billing_mode
    if request.billing_mode is not None and request.billing_mode != definition.billing_mode:
        chosen_at = now if mode == "PAY_PER_REQUEST" else definition.billing_chosen_at
        changed = msgspec.structs.replace(
            changed, billing_mode=mode, billing_chosen_at=chosen_at, throughput=None, on_demand=None
        )
    if request.provisioned_throughput is not None:
        changed = msgspec.structs.replace(
            changed, throughput=_with_dates(changed.throughput, request.provisioned_throughput, now)
        )
    if request.on_demand_throughput is not None:
        changed = msgspec.structs.replace(changed, on_demand=_merged(changed, request.on_demand_throughput))
    if request.table_class is not None:
        changed = msgspec.structs.replace(changed, table_class=request.table_class)
    if request.deletion_protection_enabled is not None:
        changed = msgspec.structs.replace(changed, is_protected=request.deletion_protection_enabled)
    return changed


def _with_dates(had: Throughput | None, bought: ProvisionedThroughput, now: float) -> Throughput:
    before = had or Throughput(0, 0)
    read, write = bought.read_capacity_units, bought.write_capacity_units
    rose = read > before.read_units or write > before.write_units
    fell = read < before.read_units or write < before.write_units
    return Throughput(
        read,
        write,
        increased_at=now if rose else before.increased_at,
        decreased_at=now if fell else before.decreased_at,
        decreases_today=before.decreases_today + fell,
    )


def _merged(definition: TableDefinition, asked: OnDemandThroughput) -> object:
    """A side of the ceiling that is not named stays as it was."""
    had = definition.on_demand
    read, write = asked.max_read_request_units, asked.max_write_request_units
    if had is not None:
        read = had.read_units_max if read is None else read
        write = had.write_units_max if write is None else write
    return ceiling_of(OnDemandThroughput(max_read_request_units=read, max_write_request_units=write))


def _taken_away(asked: OnDemandThroughput) -> dict[str, int]:
    """The sides of a ceiling that were given up: the answer repeats their -1, a description omits them (captured)."""
    members = (
        ("MaxReadRequestUnits", asked.max_read_request_units),
        ("MaxWriteRequestUnits", asked.max_write_request_units),
    )
    return {member: units for member, units in members if units == -1}


def _with_indexes(request: UpdateTable, definition: TableDefinition, now: float) -> TableDefinition:
    for update in request.global_secondary_index_updates or ():
        if update.create is not None:
            definition = _with_new_index(request, definition, update.create)
        elif update.delete is not None:
            definition = _without_index(definition, update.delete)
        elif update.update is not None:
            definition = _with_other_units(definition, update.update, now)
    return definition


def _with_new_index(
    request: UpdateTable, definition: TableDefinition, create: CreateGlobalSecondaryIndex
) -> TableDefinition:
    if definition.index(create.index_name) is not None:
        raise invalid(f"{_INVALID}Index already exists: {create.index_name}")
    # The request must define the key's attributes anew; one that the table knows keeps the type it has (captured).
    kinds = attribute_kinds(request.attribute_definitions or ())
    check_global_index(create, kinds, request.billing_mode or definition.billing_mode)
    kinds.update(definition.attribute_kinds)
    if any(index.status == "CREATING" for index in definition.indexes):
        raise limit_exceeded(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        )
    if sum(not index.is_local for index in definition.indexes) >= GSI_COUNT_MAX:
        raise limit_exceeded(f"{_INVALID}GlobalSecondaryIndex count exceeds the per-table limit of {GSI_COUNT_MAX}")
    index = msgspec.structs.replace(new_index(create, definition.next_index_number, kinds), status="CREATING")
    return msgspec.structs.replace(
        definition, indexes=(*definition.indexes, index), next_index_number=definition.next_index_number + 1
    )


def _without_index(definition: TableDefinition, delete: DeleteGlobalSecondaryIndex) -> TableDefinition:
    index = definition.index(delete.index_name)
    if index is None or index.is_local:
        raise RequestRefused("ResourceNotFoundException", "Requested resource not found")
    return msgspec.structs.replace(definition, indexes=tuple(each for each in definition.indexes if each is not index))


def _with_other_units(definition: TableDefinition, update: UpdateGlobalSecondaryIndex, now: float) -> TableDefinition:
    index = definition.index(update.index_name)
    if index is None or index.is_local:
        # An index that is not there to be changed has words of its own (captured), unlike one to be deleted.
        raise invalid(
            "This operation cannot be performed with given input values. Please contact DynamoDB service team for more "
            "info: Action Blocked: IndexUpdate"
        )
    changed = index
    if update.provisioned_throughput is not None:
        check_units(update.provisioned_throughput)
        _refuse_same_units(f"index {index.name}", index.throughput, throughput_of(update.provisioned_throughput))
        changed = msgspec.structs.replace(
            changed, throughput=_with_dates(index.throughput, update.provisioned_throughput, now)
        )
    if update.on_demand_throughput is not None:
        changed = msgspec.structs.replace(changed, on_demand=ceiling_of(update.on_demand_throughput))
    return msgspec.structs.replace(
        definition, indexes=tuple(changed if each is index else each for each in definition.indexes)
    )


def _as_told(before: TableDefinition, after: TableDefinition) -> TableDefinition:
    """The answer shows the units as they were while the status is UPDATING, with the new dates (captured).

    An index that was deleted is still told, as DELETING; the next description is without it.
    """
    gone = [index for index in before.indexes if after.index(index.name) is None]
    deleting = (msgspec.structs.replace(index, status="DELETING") for index in gone)
    after = msgspec.structs.replace(after, indexes=(*after.indexes, *deleting))
    if before.throughput is None or after.throughput is None:
        return after
    shown = msgspec.structs.replace(
        after.throughput, read_units=before.throughput.read_units, write_units=before.throughput.write_units
    )
    return msgspec.structs.replace(after, throughput=shown)
