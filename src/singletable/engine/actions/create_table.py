"""CreateTable: a new table with its indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from singletable.engine.definition import (
    IndexDefinition,
    OnDemandCeiling,
    StreamDefinition,
    TableDefinition,
    Throughput,
)
from singletable.engine.describe import table_description
from singletable.engine.encryption import KeyHome, encryption_of
from singletable.engine.policy_rules import replaced
from singletable.engine.streams import stream_label
from singletable.engine.table_rules import Kinds, attribute_kinds, check_new_table, key_parts
from singletable.engine.tag_rules import accepted_tags, stored_tags
from singletable.engine.warm_throughput import TABLE, new_warm_units, of_index
from singletable.errors import RequestRefused
from singletable.wire.tables import (
    BillingMode,
    CreateTable,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    OnDemandThroughput,
    ProvisionedThroughput,
    StreamSpecification,
    TableDescriptionResult,
)

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def create_table(engine: Engine, request: CreateTable) -> TableDescriptionResult:
    """Makes the table; it is ready when the answer arrives, which still says CREATING as the service does."""
    check_new_table(request)
    definition = new_definition(request, engine.now(), KeyHome(engine.region, engine.account))
    if not engine.catalog.create(definition):
        raise RequestRefused("ResourceInUseException", f"Table already exists: {request.table_name}")
    return TableDescriptionResult(
        table_description=table_description(definition, engine.arn(definition.name), "CREATING", {}, engine.now())
    )


def new_definition(request: CreateTable, now: float, home: KeyHome) -> TableDefinition:
    """The definition of a table that a request declares."""
    kinds = attribute_kinds(request.attribute_definitions)
    (partition,), sort = key_parts(request.key_schema, kinds)
    declared = [*(request.local_secondary_indexes or ()), *(request.global_secondary_indexes or ())]
    mode = request.billing_mode or "PROVISIONED"
    stream = stream_of(request.stream_specification, now)
    encryption = encryption_of(request.sse_specification, home)
    return TableDefinition(
        name=request.table_name,
        identifier=str(uuid4()),
        created_at=now,
        partition=partition,
        sort=sort[0] if sort else None,
        indexes=tuple(new_index(index, number, kinds, mode) for number, index in enumerate(declared, start=1)),
        billing_mode=mode,
        billing_chosen_at=now if mode == "PAY_PER_REQUEST" else None,
        throughput=throughput_of(request.provisioned_throughput),
        on_demand=ceiling_of(request.on_demand_throughput),
        table_class=request.table_class,
        is_protected=bool(request.deletion_protection_enabled),
        tags=stored_tags(accepted_tags(request.tags or ())),
        sse_type=encryption.sse_type,
        next_index_number=len(declared) + 1,
        stream=stream,
        latest_stream=None if stream is None else stream.label,
        kms_key_arn=encryption.key_arn,
        warm=new_warm_units(request.warm_throughput, mode, request.provisioned_throughput, TABLE),
        policy=None if request.resource_policy is None else replaced(None, request.resource_policy, now),
    )


def new_index(
    index: GlobalSecondaryIndex | LocalSecondaryIndex, number: int, kinds: Kinds, mode: BillingMode
) -> IndexDefinition:
    """The definition of an index that a request declares."""
    partition, sort = key_parts(index.key_schema, kinds)
    made = IndexDefinition(
        name=index.index_name,
        number=number,
        is_local=isinstance(index, LocalSecondaryIndex),
        partition=partition,
        sort=sort,
        projection=index.projection.projection_type or "ALL",
        included=tuple(index.projection.non_key_attributes or ()),
    )
    if isinstance(index, LocalSecondaryIndex):
        return made
    return msgspec.structs.replace(
        made,
        throughput=throughput_of(index.provisioned_throughput),
        on_demand=ceiling_of(index.on_demand_throughput),
        warm=new_warm_units(index.warm_throughput, mode, index.provisioned_throughput, of_index(index.index_name)),
    )


def stream_of(asked: StreamSpecification | None, now: float) -> StreamDefinition | None:
    """A stream that begins now, if one is asked for."""
    if asked is None or asked.stream_view_type is None:
        return None
    return StreamDefinition(stream_label(now), asked.stream_view_type, now)


def throughput_of(bought: ProvisionedThroughput | None) -> Throughput | None:
    """Provisioned units as a definition keeps them."""
    return None if bought is None else Throughput(bought.read_capacity_units, bought.write_capacity_units)


def ceiling_of(asked: OnDemandThroughput | None, before: OnDemandCeiling | None = None) -> OnDemandCeiling | None:
    """A ceiling as a definition keeps it: a side that is not named stays as it was, and -1 takes one away."""
    if asked is None:
        return before
    had = before or OnDemandCeiling()
    read = had.read_units_max if asked.max_read_request_units is None else asked.max_read_request_units
    write = had.write_units_max if asked.max_write_request_units is None else asked.max_write_request_units
    sides = OnDemandCeiling(None if read == -1 else read, None if write == -1 else write)
    return None if sides == OnDemandCeiling() else sides
