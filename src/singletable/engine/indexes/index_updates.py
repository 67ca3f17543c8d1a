"""GlobalSecondaryIndexUpdates in UpdateTable: creates, updates and deletes global indexes of an existing table."""

from __future__ import annotations

import msgspec

from singletable.engine.tables.new_definition import new_index
from singletable.engine.tables.table_definition import IndexDefinition, KeyElement, TableDefinition
from singletable.engine.tables.table_validation import (
    Kinds,
    attribute_kinds,
    check_global_index,
    check_on_demand,
    check_units,
    key_parts,
    limit_exceeded,
)
from singletable.engine.tables.throughput import (
    ceiling_of,
    changed_units,
    first_units,
    index_label,
    raised_warm_units,
    requests_units,
    warm_units,
)
from singletable.errors import RequestRefused, invalid
from singletable.values.limits import GSI_COUNT_MAX
from singletable.wire.table_requests import (
    BillingMode,
    CreateGlobalSecondaryIndex,
    DeleteGlobalSecondaryIndex,
    UpdateGlobalSecondaryIndex,
    UpdateTable,
)

_INVALID = "One or more parameter values were invalid: "
_KINDS_OF_UPDATE = tuple(f"GlobalSecondaryIndexUpdate.{kind}" for kind in ("Update", "Create", "Delete"))
_ONE_ONLINE = "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"


def check_index_updates(request: UpdateTable) -> None:
    """Run the checks that do not need the table."""
    updates = request.global_secondary_index_updates or []
    named: set[str] = set()
    for update in updates:
        given = [each for each in (update.update, update.create, update.delete) if each is not None]
        if not given:
            raise invalid(f"{_INVALID}One of {', '.join(_KINDS_OF_UPDATE)} must not be null")
        if len(given) > 1:
            raise invalid(
                f"{_INVALID}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"
            )
        if given[0].index_name in named:
            raise invalid(
                f"{_INVALID}Only one global secondary index update per index is allowed simultaneously. "
                f"Index: {given[0].index_name}"
            )
        named.add(given[0].index_name)
        if update.update is not None:
            _check_warm(update.update)
    online = [update for update in updates if update.create is not None or update.delete is not None]
    if len(online) > 1:
        raise limit_exceeded(_ONE_ONLINE)
    if online and request.provisioned_throughput is not None:
        raise invalid(f"{_INVALID}You cannot create or delete index while updating table IOPS")
    if online and request.stream_specification is not None:
        raise invalid(f"{_INVALID}You cannot create or delete index while changing stream status")


def _check_warm(update: UpdateGlobalSecondaryIndex) -> None:
    if update.warm_throughput is not None and not requests_units(update.warm_throughput):
        raise invalid(
            f"{_INVALID}WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified "
            f"for index: {update.index_name}"
        )


def check_units_of_all(request: UpdateTable, definition: TableDefinition) -> None:
    """Require provisioned units for every global index when a table changes from on-demand to provisioned billing."""
    updates = [each.update for each in request.global_secondary_index_updates or () if each.update is not None]
    provisioned = {update.index_name for update in updates if update.provisioned_throughput is not None}
    missing = [index.name for index in definition.indexes if not index.is_local and index.name not in provisioned]
    if missing:
        raise invalid(f"{_INVALID}ProvisionedThroughput must be specified for index: {','.join(missing)}")


def with_index_updates(request: UpdateTable, definition: TableDefinition, now: float) -> TableDefinition:
    """Return the definition with the requested index changes."""
    for update in request.global_secondary_index_updates or ():
        if update.create is not None:
            definition = _with_new_index(request, definition, update.create)
        elif update.delete is not None:
            definition = _without_index(definition, update.delete)
        elif update.update is not None:
            definition = _with_changed_units(request, definition, update.update, now)
    return definition


def _check_same_kinds(create: CreateGlobalSecondaryIndex, kinds: Kinds, definition: TableDefinition) -> None:
    """Reject a key attribute that has another type in an index (the tests of Alternator quote the message)."""
    partition, sort = key_parts(create.key_schema, kinds)
    for index in definition.indexes:
        for attribute in index.key_attributes:
            is_table_key = any(attribute.name == each.name for each in definition.key_attributes)
            if attribute.name in kinds and kinds[attribute.name] != attribute.kind and not is_table_key:
                raise invalid(
                    "One or more parameter values were invalid: Attributes cannot be redefined. Please check that your "
                    "attribute has the same type as previously defined. "
                    f"Existing schema: {_schema_text(index.partition, index.sort)} "
                    f"New schema: {_schema_text(partition, sort)}"
                )


def _schema_text(partition: tuple[KeyElement, ...], sort: tuple[KeyElement, ...]) -> str:
    """Return a key schema as DynamoDB's error messages show it."""
    roles = [*((each, "HASH") for each in partition), *((each, "RANGE") for each in sort)]
    return f"Schema:[{', '.join(f'SchemaElement: key{{{each.name}:{each.kind}:{role}}}' for each, role in roles)}]"


def _with_new_index(
    request: UpdateTable, definition: TableDefinition, create: CreateGlobalSecondaryIndex
) -> TableDefinition:
    if definition.index(create.index_name) is not None:
        raise invalid("Attempting to create an index which already exists")
    # The request must define the key attributes again. A key attribute of the table keeps its type (captured from AWS).
    kinds = attribute_kinds(request.attribute_definitions or ())
    mode = request.billing_mode or definition.billing_mode
    check_global_index(create, kinds, mode, is_new=False)
    _check_same_kinds(create, kinds, definition)
    kinds.update(definition.attribute_kinds)
    if any(index.status == "CREATING" for index in definition.indexes):
        raise limit_exceeded(_ONE_ONLINE)
    if sum(not index.is_local for index in definition.indexes) >= GSI_COUNT_MAX:
        raise limit_exceeded(
            f"Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of {GSI_COUNT_MAX}"
        )
    index = new_index(create, definition.next_index_number, kinds, mode)
    index = msgspec.structs.replace(index, status="CREATING")
    return msgspec.structs.replace(
        definition, indexes=(*definition.indexes, index), next_index_number=definition.next_index_number + 1
    )


def _without_index(definition: TableDefinition, delete: DeleteGlobalSecondaryIndex) -> TableDefinition:
    index = _global_index(definition, delete.index_name, "delete")
    return msgspec.structs.replace(definition, indexes=tuple(each for each in definition.indexes if each is not index))


def _with_changed_units(
    request: UpdateTable, definition: TableDefinition, update: UpdateGlobalSecondaryIndex, now: float
) -> TableDefinition:
    index = _global_index(definition, update.index_name, "update")
    mode = request.billing_mode or definition.billing_mode
    _check_update(update, mode)
    changed = index
    if update.provisioned_throughput is not None:
        check_units(update.provisioned_throughput)
        is_first = definition.billing_mode == "PAY_PER_REQUEST"
        throughput = (
            first_units(index.throughput, update.provisioned_throughput, now)
            if is_first
            else changed_units(index.throughput, update.provisioned_throughput, now, f"the index {index.name}")
        )
        changed = msgspec.structs.replace(changed, throughput=throughput)
    if update.on_demand_throughput is not None:
        changed = msgspec.structs.replace(
            changed, on_demand=ceiling_of(update.on_demand_throughput, before=index.on_demand)
        )
    if update.warm_throughput is not None:
        warm = raised_warm_units(
            warm_units(index.warm, mode, index.throughput), update.warm_throughput, index_label(index.name)
        )
        changed = msgspec.structs.replace(changed, warm=warm)
    return msgspec.structs.replace(
        definition, indexes=tuple(changed if each is index else each for each in definition.indexes)
    )


def _check_update(update: UpdateGlobalSecondaryIndex, mode: BillingMode) -> None:
    check_on_demand(update.on_demand_throughput, mode, is_new=False, index=update.index_name)
    has_others = update.on_demand_throughput is not None or update.warm_throughput is not None
    if mode == "PAY_PER_REQUEST":
        if update.provisioned_throughput is not None or not has_others:
            raise invalid(
                f"{_INVALID}The only Updates for index: {update.index_name} when TableThroughputMode is "
                "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"
            )
    elif update.provisioned_throughput is None and not has_others:
        raise invalid(
            f"{_INVALID}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {update.index_name}"
        )


def _global_index(definition: TableDefinition, name: str, verb: str) -> IndexDefinition:
    index = definition.index(name)
    if index is None:
        raise RequestRefused(
            "ResourceNotFoundException", f"Requested resource not found: Index {name} for table {definition.name}"
        )
    if index.is_local:
        raise invalid(f"Cannot {verb} an index that is not a GlobalSecondaryIndex: {name}")
    return index
