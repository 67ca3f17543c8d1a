"""Definitions of new tables, indexes and streams, built from requests."""

from __future__ import annotations

from uuid import uuid4

import msgspec

from singletable.engine.streams.stream_reading import stream_label
from singletable.engine.tables.encryption import KeyScope, encryption_of
from singletable.engine.tables.table_definition import IndexDefinition, StreamDefinition, TableDefinition
from singletable.engine.tables.table_validation import Kinds, attribute_kinds, key_parts
from singletable.engine.tables.tags_and_policies import stored_tags, updated_policy, validated_tags
from singletable.engine.tables.throughput import TABLE, ceiling_of, index_label, new_warm_units, throughput_of
from singletable.wire.table_requests import (
    BillingMode,
    CreateTable,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    StreamSpecification,
)


def new_definition(request: CreateTable, now: float, scope: KeyScope) -> TableDefinition:
    """Return the definition of the table that a CreateTable request describes."""
    kinds = attribute_kinds(request.attribute_definitions)
    (partition,), sort = key_parts(request.key_schema, kinds)
    declared = [*(request.local_secondary_indexes or ()), *(request.global_secondary_indexes or ())]
    mode = request.billing_mode or "PROVISIONED"
    stream = stream_of(request.stream_specification, now)
    encryption = encryption_of(request.sse_specification, scope)
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
        tags=stored_tags(validated_tags(request.tags or ())),
        sse_type=encryption.sse_type,
        next_index_number=len(declared) + 1,
        stream=stream,
        latest_stream=None if stream is None else stream.label,
        kms_key_arn=encryption.key_arn,
        warm=new_warm_units(request.warm_throughput, mode, request.provisioned_throughput, TABLE),
        policy=None if request.resource_policy is None else updated_policy(None, request.resource_policy, now),
    )


def new_index(
    index: GlobalSecondaryIndex | LocalSecondaryIndex, number: int, kinds: Kinds, mode: BillingMode
) -> IndexDefinition:
    """Return the definition of an index that a request describes."""
    partition, sort = key_parts(index.key_schema, kinds)
    definition = IndexDefinition(
        name=index.index_name,
        number=number,
        is_local=isinstance(index, LocalSecondaryIndex),
        partition=partition,
        sort=sort,
        projection=index.projection.projection_type or "ALL",
        included=tuple(index.projection.non_key_attributes or ()),
    )
    if isinstance(index, LocalSecondaryIndex):
        return definition
    return msgspec.structs.replace(
        definition,
        throughput=throughput_of(index.provisioned_throughput),
        on_demand=ceiling_of(index.on_demand_throughput),
        warm=new_warm_units(index.warm_throughput, mode, index.provisioned_throughput, index_label(index.index_name)),
    )


def stream_of(specification: StreamSpecification | None, now: float) -> StreamDefinition | None:
    """Return the definition of a stream that starts now, or None if the specification does not enable a stream."""
    if specification is None or specification.stream_view_type is None:
        return None
    return StreamDefinition(stream_label(now), specification.stream_view_type, now)
