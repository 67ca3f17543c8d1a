"""Validation of new tables and indexes, with DynamoDB's messages in DynamoDB's order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from singletable.engine.tables.table_definition import KeyElement, KeyKind
from singletable.engine.tables.tags_and_policies import check_policy
from singletable.errors import RequestRefused, invalid
from singletable.values.limits import GSI_COUNT_MAX, INCLUDED_ATTRIBUTES_MAX, LSI_COUNT_MAX, MULTI_ATTRIBUTE_KEY_MAX
from singletable.wire.table_requests import (
    AttributeDefinition,
    BillingMode,
    CreateTable,
    GlobalSecondaryIndex,
    KeySchemaElement,
    LocalSecondaryIndex,
    OnDemandThroughput,
    Projection,
    ProvisionedThroughput,
    StreamSpecification,
)

UNITS_MAX = 1_000_000_000_000
_INVALID = "One or more parameter values were invalid: "

TABLE_CLASSES = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")
NO_VECTORS = "not supported by this engine: it has no vector indexes"

Kinds = dict[str, KeyKind]


def check_new_table(request: CreateTable) -> None:
    """Reject a CreateTable request that DynamoDB would reject."""
    if request.vector_indexes:
        raise invalid(f"{_INVALID}VectorIndexes is {NO_VECTORS}")
    if request.global_table_source_arn is not None:
        raise invalid(f"{_INVALID}GlobalTableSourceArn is not supported by this engine: it runs on one machine")
    check_table_class(request.table_class)
    check_billing(request.billing_mode or "PROVISIONED", request.provisioned_throughput)
    _reject_duplicates([each.attribute_name for each in request.attribute_definitions], "Attribute Name is duplicated")
    kinds = attribute_kinds(request.attribute_definitions)
    names = [element.attribute_name for element in request.key_schema]
    if len(names) > len(kinds):
        raise invalid("Invalid KeySchema: Some index key attribute have no definition")
    _check_defined(request.key_schema, kinds)
    _check_simple_key(request.key_schema)
    has_indexes = request.local_secondary_indexes is not None or request.global_secondary_indexes is not None
    if not has_indexes and len(names) != len(kinds):
        raise invalid(
            f"{_INVALID}Number of attributes in KeySchema does not exactly match number of attributes defined in "
            "AttributeDefinitions"
        )
    if request.local_secondary_indexes is not None:
        _check_local(request, kinds, request.local_secondary_indexes)
    if request.global_secondary_indexes is not None:
        _check_global(request, kinds, request.global_secondary_indexes)
    _check_all_used(request, kinds)
    check_on_demand(request.on_demand_throughput, request.billing_mode or "PROVISIONED")
    if request.resource_policy is not None:
        check_policy(request.resource_policy)
    check_stream(request.stream_specification)


def check_stream(requested: StreamSpecification | None, *, is_new: bool = True) -> None:
    """Reject a stream specification that has a stream without a view type, or a view type without a stream.

    The messages differ between CreateTable and UpdateTable (captured from AWS).
    """
    if requested is None:
        return
    if requested.stream_enabled and requested.stream_view_type is None:
        when = "Table is being created with a stream enabled," if is_new else "If stream is being enabled then"
        raise invalid(f"{_INVALID}{when} UpdateViewType is required")
    if not requested.stream_enabled and requested.stream_view_type is not None:
        when = "Table is being created with a stream disabled," if is_new else "If stream is being disabled, then"
        raise invalid(f"{_INVALID}{when} UpdateViewType {'should' if is_new else 'must'} not be specified")


def check_table_class(table_class: str | None) -> None:
    """Reject an unknown table class."""
    if table_class is not None and table_class not in TABLE_CLASSES:
        raise invalid(
            "Invalid table-class parameter provided. Please try again with a valid table-class value: "
            f"[{', '.join(TABLE_CLASSES)}]."
        )


def check_billing(mode: BillingMode, throughput: ProvisionedThroughput | None) -> None:
    """Reject an on-demand table with provisioned units, and a provisioned table without them."""
    if mode == "PAY_PER_REQUEST":
        if throughput is not None:
            raise invalid(
                f"{_INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
                "PAY_PER_REQUEST"
            )
    elif throughput is None:
        raise invalid(
            f"{_INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
        )
    check_units(throughput)


def check_units(throughput: ProvisionedThroughput | None) -> None:
    """Reject a throughput above the maximum that DynamoDB supports."""
    if throughput is None:
        return
    if throughput.read_capacity_units > UNITS_MAX:
        raise invalid(f"Given value {throughput.read_capacity_units} for ReadCapacityUnits is out of bounds")
    if throughput.write_capacity_units > UNITS_MAX:
        raise invalid(f"Given value {throughput.write_capacity_units} for WriteCapacityUnits is out of bounds")


def check_on_demand(
    ceiling: OnDemandThroughput | None, mode: BillingMode, *, is_new: bool = True, index: str | None = None
) -> None:
    """Reject an invalid on-demand maximum, and any on-demand maximum for a provisioned table. -1 removes a maximum.

    The message differs between CreateTable and UpdateTable (captured from AWS).
    """
    if ceiling is None:
        return
    members = (
        ("MaxReadRequestUnits", ceiling.max_read_request_units),
        ("MaxWriteRequestUnits", ceiling.max_write_request_units),
    )
    of_index = "" if index is None else f" for index : {index}"
    for member, units in members:
        if units is None:
            continue
        if mode == "PROVISIONED":
            when = "table BillingMode is PROVISIONED." if is_new else "the table BillingMode is PROVISIONED"
            raise invalid(f"{_INVALID}{member} for OnDemandThroughput{of_index} cannot be specified when {when}")
        if units < 1 and (is_new or units != -1):
            what = of_index or " for table"
            raise invalid(f"{_INVALID}Requested {member} for OnDemandThroughput{what} is outside of valid range")


def attribute_kinds(definitions: Iterable[AttributeDefinition]) -> Kinds:
    """Return the types of the attributes that a request defines, by attribute name."""
    kinds: Kinds = {}
    for definition in definitions:
        if kinds.setdefault(definition.attribute_name, definition.attribute_type) != definition.attribute_type:
            raise invalid(f"{_INVALID}Cannot change type of attribute {definition.attribute_name}")
    return kinds


def key_parts(
    schema: Sequence[KeySchemaElement], kinds: Kinds
) -> tuple[tuple[KeyElement, ...], tuple[KeyElement, ...]]:
    """Return the partition key attributes and the sort key attributes of a key schema."""
    parts: dict[str, list[KeyElement]] = {"HASH": [], "RANGE": []}
    for element in schema:
        parts[element.key_type].append(KeyElement(element.attribute_name, kinds[element.attribute_name]))
    return tuple(parts["HASH"]), tuple(parts["RANGE"])


def _check_defined(schema: Sequence[KeySchemaElement], kinds: Kinds) -> None:
    names = [element.attribute_name for element in schema]
    if any(name not in kinds for name in names):
        raise invalid(
            f"{_INVALID}Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(names)}], AttributeDefinitions: [{', '.join(kinds)}]"
        )


def _check_simple_key(schema: Sequence[KeySchemaElement]) -> None:
    """Check a key schema of one partition key attribute and at most one sort key attribute."""
    if len(schema) == 2 and schema[0].attribute_name == schema[1].attribute_name:
        raise invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
    if schema[0].key_type != "HASH":
        raise invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    if len(schema) == 2 and schema[1].key_type != "RANGE":
        raise invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")


def _check_multi_attribute_key(schema: Sequence[KeySchemaElement]) -> None:
    """Check a key schema of up to four partition key attributes followed by up to four sort key attributes."""
    names = [element.attribute_name for element in schema]
    if len(set(names)) < len(names):
        if len(schema) == 2:
            raise invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
        raise invalid("The KeySchema contains multiple key attributes with the same name")
    if schema[0].key_type != "HASH":
        raise invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    types = [element.key_type for element in schema]
    if types != sorted(types):
        raise invalid(f"{_INVALID}All HASH key attributes must precede RANGE key attributes in the KeySchema")
    for key_type in ("HASH", "RANGE"):
        if types.count(key_type) > MULTI_ATTRIBUTE_KEY_MAX:
            raise invalid(f"{_INVALID}The KeySchema exceeds the maximum allowed number of {key_type} key attributes")


def _reject_duplicates(names: Sequence[str], message: str) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise invalid(f"{message}: {name}")


def _check_projection(projection: Projection) -> None:
    if projection.projection_type is None:
        raise invalid(f"{_INVALID}Unknown ProjectionType: null")
    if projection.projection_type == "INCLUDE":
        if projection.non_key_attributes is None:
            raise invalid(f"{_INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
        _reject_duplicates(projection.non_key_attributes, f"{_INVALID}Duplicate element in NonKeyAttributes")
    elif projection.non_key_attributes is not None:
        raise invalid(f"{_INVALID}ProjectionType is {projection.projection_type}, but NonKeyAttributes is specified")


def _check_local(request: CreateTable, kinds: Kinds, indexes: Sequence[LocalSecondaryIndex]) -> None:
    if not indexes:
        raise invalid(f"{_INVALID}List of LocalSecondaryIndexes is empty")
    if len(request.key_schema) != 2:
        raise invalid(
            f"{_INVALID}Table KeySchema does not have a range key, which is required when specifying a "
            "LocalSecondaryIndex"
        )
    seen: set[str] = set()
    for index in indexes:
        _check_defined(index.key_schema, kinds)
        _check_simple_key(index.key_schema)
        if len(index.key_schema) != 2:
            raise invalid(f"{_INVALID}Index KeySchema does not have a range key for index: {index.index_name}")
        leading, table_leading = index.key_schema[0].attribute_name, request.key_schema[0].attribute_name
        if leading != table_leading:
            raise invalid(
                f"{_INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for index: "
                f"{index.index_name}. index hash key: {leading}, table hash key: {table_leading}"
            )
        _check_projection(index.projection)
        _check_new_name(index.index_name, seen)
    if len(indexes) > LSI_COUNT_MAX:
        raise invalid(f"{_INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of {LSI_COUNT_MAX}")


def _check_global(request: CreateTable, kinds: Kinds, indexes: Sequence[GlobalSecondaryIndex]) -> None:
    if not indexes:
        raise invalid(f"{_INVALID}List of GlobalSecondaryIndexes is empty")
    seen = {index.index_name for index in request.local_secondary_indexes or ()}
    for index in indexes:
        check_global_index(index, kinds, request.billing_mode or "PROVISIONED")
        _check_new_name(index.index_name, seen)
    if len(indexes) > GSI_COUNT_MAX:
        raise invalid(f"{_INVALID}GlobalSecondaryIndex count exceeds the per-table limit of {GSI_COUNT_MAX}")
    _check_included([*indexes, *(request.local_secondary_indexes or ())])


def check_global_index(index: GlobalSecondaryIndex, kinds: Kinds, mode: BillingMode, *, is_new: bool = True) -> None:
    """Reject an invalid definition of a global index, for a new or an existing table."""
    _check_defined(index.key_schema, kinds)
    _check_multi_attribute_key(index.key_schema)
    _check_projection(index.projection)
    _check_units_of_index(index.index_name, mode, index.provisioned_throughput, is_new)
    check_on_demand(index.on_demand_throughput, mode, index=index.index_name)


def _check_units_of_index(name: str, mode: BillingMode, throughput: ProvisionedThroughput | None, is_new: bool) -> None:
    """Reject provisioned units for an index of an on-demand table. Require them for an index of a provisioned table.

    All four messages were captured from AWS.
    """
    if mode == "PAY_PER_REQUEST" and throughput is not None:
        rule = (
            f"ProvisionedThroughput should not be specified for index: {name}"
            if is_new
            else f"Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {name}"
        )
        raise invalid(f"{_INVALID}{rule} when BillingMode is PAY_PER_REQUEST")
    if mode == "PROVISIONED" and throughput is None:
        rule = (
            "ProvisionedThroughput is not specified"
            if is_new
            else "Both ReadCapacityUnits and WriteCapacityUnits must be specified"
        )
        raise invalid(f"{_INVALID}{rule} for index: {name}")
    check_units(throughput)


def _check_new_name(name: str, seen: set[str]) -> None:
    if name in seen:
        raise invalid(f"{_INVALID}Duplicate index name: {name}")
    seen.add(name)


def _check_included(indexes: Sequence[GlobalSecondaryIndex | LocalSecondaryIndex]) -> None:
    included = sum(len(index.projection.non_key_attributes or ()) for index in indexes)
    if included > INCLUDED_ATTRIBUTES_MAX:
        raise invalid(
            f"{_INVALID}NonKeyAttributes count exceeds the per-table limit of {INCLUDED_ATTRIBUTES_MAX}: {included}"
        )


def _check_all_used(request: CreateTable, kinds: Kinds) -> None:
    schemas = [request.key_schema]
    schemas += [index.key_schema for index in request.local_secondary_indexes or ()]
    schemas += [index.key_schema for index in request.global_secondary_indexes or ()]
    used = {element.attribute_name for schema in schemas for element in schema}
    if used != set(kinds):
        raise invalid(
            f"{_INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: [{', '.join(kinds)}], "
            f"keys used: [{', '.join(sorted(used))}]"
        )


def limit_exceeded(message: str) -> RequestRefused:
    """Return a LimitExceededException with this message."""
    return RequestRefused("LimitExceededException", message)
