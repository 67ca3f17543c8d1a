"""Checks what a Query, Scan or PartiQL SELECT reads: its table or index, its start key and its selection."""

from __future__ import annotations

from singletable.engine.items.item_keys import exact_key
from singletable.engine.items.page_reader import PageSelection, PageSource
from singletable.engine.items.request_expressions import ItemPredicate, ItemProjection
from singletable.engine.tables.stored_table import PUT_ERRORS, Item, StoredTable
from singletable.engine.tables.table_definition import KeyElement
from singletable.errors import RequestRefused, invalid
from singletable.values.item_validation import accept_item
from singletable.wire.query_and_scan import PageRequest

STARTING_KEY = "The provided starting key is invalid"
NO_SPECIFIC = "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"

# If a start key is invalid, DynamoDB returns these messages unchanged, and all other messages with a prefix (captured
# from AWS).
_MESSAGES_WITHOUT_PREFIX = (
    "contains duplicates",
    "number set",
    "numeric value",
    "significant digits",
    "number with magnitude",
)


def check_select(request: PageRequest, message_without_attributes: str) -> None:
    """Reject a Select parameter that contradicts the rest of the request."""
    has_projection = request.projection_expression is not None or request.attributes_to_get is not None
    if request.select == "SPECIFIC_ATTRIBUTES" and not has_projection:
        raise invalid(message_without_attributes)
    if has_projection and request.select not in (None, "SPECIFIC_ATTRIBUTES"):
        name = "ProjectionExpression" if request.projection_expression is not None else "AttributesToGet"
        chosen = "only the Count" if request.select == "COUNT" else request.select
        raise invalid(f"Cannot specify the {name} when choosing to get {chosen}")
    if request.select == "ALL_PROJECTED_ATTRIBUTES" and request.index_name is None:
        raise invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")


def accept_start_key(request: PageRequest) -> None:
    """Reject an ExclusiveStartKey with invalid attribute values."""
    if request.exclusive_start_key is None:
        return
    try:
        accept_item(request.exclusive_start_key)
    except RequestRefused as error:
        if error.code != "ValidationException" or any(words in error.message for words in _MESSAGES_WITHOUT_PREFIX):
            raise
        raise invalid(f"{STARTING_KEY}: {error.message}") from None


def source_of(table: StoredTable, request: PageRequest) -> PageSource:
    """Return the table or index that a request reads. Reject an index that is unknown or not filled yet."""
    if request.index_name is None:
        return PageSource(table, None)
    index = table.index(request.index_name)
    if index is None:
        raise invalid(f"The table does not have the specified index: {request.index_name}")
    if not index.definition.is_local:
        if request.consistent_read:
            raise invalid("Consistent reads are not supported on global secondary indexes")
        if index.definition.status == "CREATING":
            raise invalid(f"Cannot read from backfilling global secondary index: {index.name}")
    return PageSource(table, index)


def selection_of(
    source: PageSource, request: PageRequest, predicate: ItemPredicate | None, projection: ItemProjection
) -> PageSelection:
    """Return the selection of a page. Attributes that a local index does not project are fetched from the table."""
    return PageSelection(predicate, projection, request.select == "COUNT", _fetches(source, request, projection))


def _fetches(source: PageSource, request: PageRequest, projection: ItemProjection) -> bool:
    index = source.index
    if index is None or index.definition.projection == "ALL":
        return False
    if request.select == "ALL_ATTRIBUTES":
        if not index.definition.is_local:
            raise invalid(
                "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global "
                f"secondary index {index.name} because its projection type is not ALL"
            )
        return True
    lacking = [name for name in projection.attributes if not index.holds(name)]
    if lacking and not index.definition.is_local:
        raise invalid(
            "One or more parameter values were invalid: "
            f"Global secondary index {index.name} does not project [{', '.join(lacking)}]"
        )
    return bool(lacking)


def check_start_key(source: PageSource, start: Item, keys: tuple[KeyElement, ...], mismatch: str) -> None:
    """Reject a start key with the wrong number of attributes, or with a key attribute missing or of the wrong type."""
    if len(start) != len(source.key_names):
        raise invalid(mismatch)
    for attribute in keys:
        value = start.get(attribute.name)
        if value is None:
            raise invalid(STARTING_KEY)
        if attribute.kind not in value:
            raise invalid("The provided key element does not match the schema")


def start_position(source: PageSource, start: Item) -> bytes:
    """Return the stored key for an ExclusiveStartKey."""
    index = source.index
    try:
        base_key = exact_key(source.table, {name: start[name] for name in source.table.key_names if name in start})
        if index is None:
            return base_key
        key = index.key_of(start, base_key, PUT_ERRORS)
    except RequestRefused as error:
        raise invalid(f"{STARTING_KEY}: {error.message}") from None
    assert key is not None
    return key
