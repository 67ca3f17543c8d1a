"""The condition keys that policies may use. They are in lower case, because IAM ignores the case of their names."""

from __future__ import annotations

import re

from singletable.errors import PolicyRefused

LEADING_KEYS = "dynamodb:leadingkeys"
PARTITION_KEY_VALUES = (
    "dynamodb:firstpartitionkeyvalues",
    "dynamodb:secondpartitionkeyvalues",
    "dynamodb:thirdpartitionkeyvalues",
    "dynamodb:fourthpartitionkeyvalues",
)
ATTRIBUTES = "dynamodb:attributes"
SELECT = "dynamodb:select"
RETURN_VALUES = "dynamodb:returnvalues"
RETURN_CONSUMED_CAPACITY = "dynamodb:returnconsumedcapacity"
ENCLOSING_OPERATION = "dynamodb:enclosingoperation"
FULL_TABLE_SCAN = "dynamodb:fulltablescan"

SEVERAL_VALUES = frozenset((LEADING_KEYS, ATTRIBUTES, *PARTITION_KEY_VALUES))
"""The keys with several values. A condition can test them only with ForAllValues, ForAnyValue or Null."""
_OF_REQUEST = frozenset(
    (*SEVERAL_VALUES, SELECT, RETURN_VALUES, RETURN_CONSUMED_CAPACITY, ENCLOSING_OPERATION, FULL_TABLE_SCAN)
)

PRINCIPAL_TAG = "aws:principaltag/"
PRINCIPAL_ARN = "aws:principalarn"
PRINCIPAL_ACCOUNT = "aws:principalaccount"
USER_NAME = "aws:username"
IDENTITY_KEYS = frozenset(
    (
        "aws:userid",
        "www.amazon.com:app_id",
        "www.amazon.com:user_id",
        "graph.facebook.com:app_id",
        "graph.facebook.com:id",
        "accounts.google.com:aud",
        "accounts.google.com:sub",
        "cognito-identity.amazonaws.com:amr",
        "cognito-identity.amazonaws.com:aud",
        "cognito-identity.amazonaws.com:sub",
    )
)
"""The keys that describe how a principal signed in. They have no values unless you pass them with the principal."""
_OF_PRINCIPAL = frozenset((PRINCIPAL_ARN, PRINCIPAL_ACCOUNT, USER_NAME)) | IDENTITY_KEYS

TAG_KEY = re.compile(r"[\w+=.@:/ -]{1,128}")
_SHOWN = (
    "dynamodb:LeadingKeys, First/Second/Third/FourthPartitionKeyValues, Attributes, Select, ReturnValues, "
    "ReturnConsumedCapacity, EnclosingOperation, FullTableScan; aws:PrincipalTag/KEY, aws:PrincipalArn, "
    "aws:PrincipalAccount, aws:username, aws:userid; and the keys of web identities, such as www.amazon.com:user_id"
)


def condition_key(name: str, place: str) -> str:
    """Return the name of a condition key in lower case; raise PolicyRefused for an unknown key."""
    key = name.lower()
    if key in _OF_REQUEST or key in _OF_PRINCIPAL or _is_tag(key):
        return key
    raise PolicyRefused(f"{place}: unknown condition key {name!r}.\n  The engine supports {_SHOWN}.")


def variable_key(name: str, place: str) -> str:
    """Return the condition key of a policy variable in lower case.

    Raise PolicyRefused if the key does not describe a principal.
    """
    key = name.lower()
    if key in _OF_PRINCIPAL or _is_tag(key):
        return key
    known = ", ".join(sorted(_OF_PRINCIPAL))
    raise PolicyRefused(
        f"{place}: unknown policy variable ${{{name}}}.\n  The engine supports aws:PrincipalTag/KEY, {known}."
    )


def tag_key(name: str) -> str:
    """Return the condition key of a principal tag."""
    return PRINCIPAL_TAG + name.lower()


def _is_tag(key: str) -> bool:
    return key.startswith(PRINCIPAL_TAG) and TAG_KEY.fullmatch(key.removeprefix(PRINCIPAL_TAG)) is not None
