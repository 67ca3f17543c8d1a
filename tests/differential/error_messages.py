"""Different messages of the same error, and the order in which the service checks for errors."""

from __future__ import annotations

import re
from typing import Final

# Our messages, and the messages of DynamoDB Local for the same error. Ours come from the live-validated suite,
# dynalite's tests, or published captures.
_SAME_FAULT: Final = tuple(
    (re.compile(ours), re.compile(theirs))
    for ours, theirs in (
        ("^Requested resource not found", "^Cannot do operations on a non-existent table"),
        ("^Table already exists: ", "^Cannot create preexisting table"),
        ("currently protected against deletion", "currently protected against deletion"),
        ("^TimeToLive is active on a different AttributeName: ", "^TimeToLive is active on a different AttributeName$"),
        ("^Table already has an enabled stream: TableName: ", "^Table already has an enabled stream$"),
        ("^Table has no stream to disable: TableName: ", "^Table has no stream to disable$"),
        ("You cannot modify stream status while updating", "^Cannot change IOPS and Streams at the same time"),
        ("UpdateViewType is required$", "must not be null or empty when enabling streams"),
        ("UpdateViewType (should|must) not be specified$", "false but a StreamViewType was present"),
        (
            "^Attribute Name is duplicated: |Duplicate (element in NonKeyAttributes|value in attribute name): ",
            "^Cannot have two attributes with the same name",
        ),
        # Keys
        (
            "^The provided key element does not match the schema",
            "Type mismatch for key$|^The number of conditions on the keys|^Invalid attribute value type|"
            "^One of the required keys was not given|^Hash primary key values must be under|"
            "may not contain null or empty values|cannot be null$",
        ),
        ("Missing the key .* in the item", "^One of the required keys was not given|^The number of conditions"),
        ("Type mismatch for key .* expected", "Type mismatch for key$|^Invalid attribute value type"),
        ("Type mismatch for Index Key .* Expected", "Type mismatch for Index Key$|^Invalid attribute value type"),
        ("exceeded the (maximum )?size limit of ?(2048|1024)", "^Hash primary key values must be|Size limit exceeded"),
        # Values
        ("The parameter cannot be converted to a numeric value", "A value provided cannot be converted into a number"),
        ("more than 38 significant digits", "only supports precision up to 38 digits"),
        # A sum is never rounded, but rejected as an overflow.
        ("Number overflow", "precision up to 38 digits"),
        ("Input collection .*contains duplicates", "Input collection .*contains duplicates"),
        ("Nesting Levels have exceeded", "Nesting Levels have exceeded"),
        # Expressions
        ("map contains a key that is too long; size", "map contains a key that is too long;$"),
        ("^ExpressionAttributeValues can only be specified", "^ExpressionAttributeValues must not be empty"),
        ("BETWEEN operator requires", "BETWEEN operator requires"),
        ("attribute_type, operand type: {", "attribute_type, operand type: {"),
        ("valid types: {", "valid types: {"),
        # Local parses a value after a dot as a part of the path.
        ('Syntax error; token: ":', r"^Invalid \w+Expression"),
        ("Two document paths overlap", "Two document paths overlap"),
        ("^KeyConditionExpressions cannot have conditions on nested", "Key attributes must be scalars"),
        # Pages
        (
            "^The provided starting key is (invalid|outside)|^The query can return at most one row",
            "^Exclusive Start Key must have same size|starting key does not match the range key predicate|"
            "^Exclusive start key must lie within the segment|^The provided starting key is invalid|"
            "Type mismatch for attribute to update|^Invalid attribute value type",
        ),
        ("^Consistent reads are not supported on global", "^Consistent read cannot be true when"),
        ("Condition parameter type does not match", "size limit of ?(2048|1024)"),
        ("^Query condition missed key schema element: ", "^Query condition missed key schema element$"),
        ("(Total)?Segment.* parameter", "segment"),
        (r"does not project \[", r"does not project \["),
        ("does not project one or more filter attributes", "does not project one or more filter attributes"),
        ("Must specify the AttributesToGet or ProjectionExpression", "Must specify the AttributesToGet or Projection"),
        ("can only contain non-primary key attributes", "Key attributes must be scalars"),
        ("^Can not use both expression", "^Can not use both expression"),
        ("DELETE action with value is not supported", "DELETE action with value is not supported"),
        ("^Conditions can be of length 1 or 2", "^Either the KeyConditions or KeyConditionExpression"),
        # Writes
        ("Type mismatch for Index Key .* Expected", "^Updates on index keys must be of the same data type"),
        ("^ReturnValues can only be ALL_OLD or NONE", "^Return values set to invalid value"),
        ("^TransactItems can only contain one of", "^Invalid Request: TransactWriteRequest should contain"),
        ("^The conditional request failed$", r"^The conditional request failed\.$"),
        ("^The requestItems parameter is required", "must have some requests set|cannot have a null or no requests"),
        ("same client token as a previous", "^$"),
    )
)
_STARTING_KEY: Final = "The provided starting key is invalid: "


def is_same_error(ours: str, theirs: str) -> bool:
    """Return whether two messages report the same error."""
    if ours.startswith(_STARTING_KEY) and theirs.endswith(ours.removeprefix(_STARTING_KEY)):
        return True
    return any(mine.search(ours) and other.search(theirs) for mine, other in _SAME_FAULT)


# Messages of Local about invalid tables and indexes. The service has other messages, or another order.
_ONLY_LOCAL_SAYS_OF_TABLES: Final = re.compile(
    "|".join(
        (
            "^The requested throughput value equals",
            "^Nothing to update",
            "^Cannot have more than 5 local",
            "^GlobalSecondaryIndex count exceeds the per-table limit$",
            "^GSI list is empty",
            "^The number of attributes in key schema must match",
            "^No provisioned throughput specified",
            "^Indexes must have a projection specified",
            "^If Projection type INCLUDE is specified",
            "^Too many hash keys",
            "^Key Schema too big",
            "^No defined key schema",
            "^Subscriber limit exceeded",
            "^Invalid global secondary index name",
            "global secondary index action is null",
            "^Only one global secondary index update per index",
            "^No Attribute Schema Defined",
            "^Attempting to create an index which already exists",
            "^No attributes should be specified to be projected",
            "^Two (global |local )?secondary ind",
            "have the same name$",
            "not specified in Attribute Definitions",
            "^Invalid table/index name",
        )
    )
)


def is_local_table_message(theirs: str) -> bool:
    """Return whether a message about a table is not a message of the service."""
    return _ONLY_LOCAL_SAYS_OF_TABLES.search(theirs) is not None


# The stages of a request: its shape, its values, its expressions; then its table, the start of its page, keys, whether
# the start is inside the range, indexes; and last the item.
SHAPE, VALUES, EXPRESSIONS, TABLE, START, KEYS, POSITION, INDEXES, ITEM = range(9)
_STAGES: Final = tuple(
    (stage, re.compile(words))
    for stage, words in (
        (SHAPE, r"^SerializationException|\d+ validation errors? detected: Value|The parameter '\w+' is required"),
        (
            SHAPE,
            "Can not use both expression and non-expression parameters|can only be specified when using expressions",
        ),
        (
            VALUES,
            "ConditionalOperator can(not| only) be used|Only DELETE action is allowed|BETWEEN condition was provided",
        ),
        (
            VALUES,
            "DELETE action with value is not supported|Attribute(Values inside Attribute)?ValueList|ComparisonOperator",
        ),
        (VALUES, "starting key is invalid: (Supplied|Nesting|One or more parameter values were invalid: (An |Input))"),
        (TABLE, "^Resource(NotFound|InUse)Exception"),
        # A transaction that is cancelled because of its actions, not because of items.
        (KEYS, r"^TransactionCanceled.*\[(None, |ValidationError, )*(None|ValidationError)\]"),
        (ITEM, "^ConditionalCheckFailed|^TransactionCanceled|^IdempotentParameterMismatch"),
        (ITEM, "Item size to update"),
        (ITEM, "operand in the update expression has an incorrect|document path provided in the update|item to update"),
        (ITEM, "An operand in the update|attribute that does not exist in the item|Type mismatch for attribute to upd"),
        (POSITION, "starting key (does not match the range|is outside)|The query can return at most one row"),
        (START, "starting key|start key|Start Key|Consistent read|does not have the specified index"),
        (START, "multiple operations on one item"),
        (INDEXES, "secondary index key|Index Key|Invalid attribute value type|does not project"),
        (INDEXES, "is not supported for global|Key attributes must be scalars|non-primary key attributes"),
        (KEYS, "key element does not match the schema|Missing the key|Type mismatch|requested throughput value equals"),
        (KEYS, "number of conditions on the keys|required keys was not given|Cannot update attribute"),
        (KEYS, "for a key attribute|size limit of ?(2048|1024)|Hash primary key values|missed key schema element"),
        (
            KEYS,
            "may not contain null or empty|Condition parameter type does not match|Invalid table/index name",
        ),
        (KEYS, "Query key condition not supported|Size limit exceeded"),
        (EXPRESSIONS, r"Invalid \w+Expression|ExpressionAttribute|Expression attribute|unused in expr|expression"),
        (EXPRESSIONS, "Select|AttributesToGet|only the Count|KeyConditions|ALL_PROJECTED|choosing to get"),
        (VALUES, "numeric value|into a number|significant digits|38 digits|Number (over|under)flow|duplicates"),
        (
            VALUES,
            "Duplicate value in attribute name|must be the only operation|UpdateViewType|can only be combined with",
        ),
        (VALUES, "You cannot .* while (updating|changing)|specified when updating WarmThroughput"),
        (VALUES, "AttributeValue|Nesting Levels|empty|Empty|Item size|[Ss]egment|Return ?[Vv]alues|TransactItems"),
        (VALUES, "attribute value types must have"),
        (VALUES, "Too many items|not be null|BillingMode|online index|At least one of|update per index is allowed"),
    )
)


def stage(error_text: str) -> int | None:
    """Return the stage of an error, or None."""
    return next((each for each, words in _STAGES if words.search(error_text)), None)
