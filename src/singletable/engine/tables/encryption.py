"""Encryption settings of a table, which are stored and described; the data itself is not encrypted."""

from __future__ import annotations

from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

import msgspec

from singletable.engine.tables.table_definition import TableDefinition
from singletable.errors import invalid
from singletable.wire.table_requests import SSESpecification

_INVALID = "One or more parameter values were invalid: "
_AWS_MANAGED = "alias/aws/dynamodb"


class KeyScope(NamedTuple):
    """The region and account of KMS keys that a request identifies by ID or alias."""

    region: str
    account: str

    def key_arn(self, key: str) -> str:
        """Return the ARN of a KMS key, given its ARN, ID or alias. The engine gives every alias its own key."""
        if key.startswith("arn:"):
            return key
        identifier = str(uuid5(NAMESPACE_URL, key)) if key.startswith("alias/") else key
        return f"arn:aws:kms:{self.region}:{self.account}:key/{identifier}"


class Encryption(NamedTuple):
    """The encryption settings in a table description. Both fields are None for DynamoDB's default key."""

    sse_type: str | None = None
    key_arn: str | None = None


def encryption_of(requested: SSESpecification | None, scope: KeyScope) -> Encryption:
    """Return the requested encryption settings. Reject contradictory settings."""
    if requested is None:
        return Encryption()
    is_enabled = requested.sse_type is not None if requested.enabled is None else requested.enabled
    if not is_enabled:
        for member, given in (("SSEType", requested.sse_type), ("KMSMasterKeyId", requested.kms_master_key_id)):
            if given is not None:
                raise invalid(f"{_INVALID}{member} can not be specified if Enabled is false")
        return Encryption()
    if requested.sse_type == "AES256":
        raise invalid(f"{_INVALID}SSEType AES256 is not supported")
    if requested.kms_master_key_id is not None and requested.sse_type is None:
        raise invalid(f"{_INVALID}SSEType KMS is required if KMSMasterKeyId is specified")
    return Encryption("KMS", scope.key_arn(requested.kms_master_key_id or _AWS_MANAGED))


def with_encryption(definition: TableDefinition, requested: SSESpecification, scope: KeyScope) -> TableDefinition:
    """Return the definition with the requested key. Reject a request for the current key where DynamoDB rejects it."""
    encryption = encryption_of(requested, scope)
    if encryption.sse_type is None and definition.sse_type is None:
        raise invalid(f"{_INVALID}Table is already encrypted by default")
    if requested.kms_master_key_id is not None and requested.kms_master_key_id == definition.kms_key_arn:
        raise invalid(
            f"{_INVALID}Table is already encrypted with given KMSMasterKeyId. "
            "Use KMSMasterKeyId parameter if you want to change Master Key"
        )
    return msgspec.structs.replace(definition, sse_type=encryption.sse_type, kms_key_arn=encryption.key_arn)
