"""CreateTable: a new table with its indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from singletable.engine.definition import (
    IndexDefinition,
    OnDemandCeiling,
    StreamDefinition,
    TableDefinition,
    Throughput,
)
from singletable.engine.describe import table_description
from singletable.engine.streams import stream_label
from singletable.engine.table_rules import Kinds, attribute_kinds, check_new_table, key_parts
from singletable.errors import RequestRefused
from singletable.wire.tables import (
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
    definition = _definition(request, engine.now())
    if not engine.catalog.create(definition):
        raise RequestRefused("ResourceInUseException", f"Table already exists: {request.table_name}")
    return TableDescriptionResult(
        table_description=table_description(definition, engine.arn(definition.name), "CREATING", {})
    )


def _definition(request: CreateTable, now: float) -> TableDefinition:
    kinds = attribute_kinds(request.attribute_definitions)
    (partition,), sort = key_parts(request.key_schema, kinds)
    declared = [*(request.local_secondary_indexes or ()), *(request.global_secondary_indexes or ())]
    mode = request.billing_mode or "PROVISIONED"
    stream = stream_of(request.stream_specification, now)
    return TableDefinition(
        name=request.table_name,
        identifier=str(uuid4()),
        created_at=now,
        partition=partition,
        sort=sort[0] if sort else None,
        indexes=tuple(new_index(index, number, kinds) for number, index in enumerate(declared, start=1)),
        billing_mode=mode,
        billing_chosen_at=now if mode == "PAY_PER_REQUEST" else None,
        throughput=throughput_of(request.provisioned_throughput),
        on_demand=ceiling_of(request.on_demand_throughput),
        table_class=request.table_class,
        is_protected=bool(request.deletion_protection_enabled),
        tags=tuple((tag.key, tag.value) for tag in request.tags or ()),
        sse_type=sse_type_of(request.sse_specification),
        next_index_number=len(declared) + 1,
        stream=stream,
        latest_stream=None if stream is None else stream.label,
    )


def new_index(index: GlobalSecondaryIndex | LocalSecondaryIndex, number: int, kinds: Kinds) -> IndexDefinition:
    """The definition of an index that a request declares."""
    partition, sort = key_parts(index.key_schema, kinds)
    is_local = isinstance(index, LocalSecondaryIndex)
    return IndexDefinition(
        name=index.index_name,
        number=number,
        is_local=is_local,
        partition=partition,
        sort=sort,
        projection=index.projection.projection_type or "ALL",
        included=tuple(index.projection.non_key_attributes or ()),
        throughput=None if isinstance(index, LocalSecondaryIndex) else throughput_of(index.provisioned_throughput),
        on_demand=None if isinstance(index, LocalSecondaryIndex) else ceiling_of(index.on_demand_throughput),
    )


def stream_of(asked: StreamSpecification | None, now: float) -> StreamDefinition | None:
    """A stream that begins now, if one is asked for."""
    if asked is None or asked.stream_view_type is None:
        return None
    return StreamDefinition(stream_label(now), asked.stream_view_type, now)


def throughput_of(bought: ProvisionedThroughput | None) -> Throughput | None:
    """Provisioned units as a definition keeps them."""
    return None if bought is None else Throughput(bought.read_capacity_units, bought.write_capacity_units)


def ceiling_of(ceiling: OnDemandThroughput | None) -> OnDemandCeiling | None:
    """A ceiling as a definition keeps it; -1 takes a side of it away."""
    if ceiling is None:
        return None
    read, write = (
        None if units in (None, -1) else units
        for units in (ceiling.max_read_request_units, ceiling.max_write_request_units)
    )
    return None if read is None and write is None else OnDemandCeiling(read, write)


def sse_type_of(specification: dict[str, object] | None) -> str | None:
    """The encryption that was asked for; the service's own default is not told."""
    if specification is None or not specification.get("Enabled"):
        return None
    return str(specification.get("SSEType") or "KMS")
