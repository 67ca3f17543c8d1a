"""Encryption at rest as a table describes it: which key it names; the store itself is not encrypted."""

from __future__ import annotations

from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

import msgspec

from singletable.engine.definition import TableDefinition
from singletable.errors import invalid
from singletable.wire.tables import SSESpecification

_INVALID = "One or more parameter values were invalid: "
_AWS_MANAGED = "alias/aws/dynamodb"


class KeyHome(NamedTuple):
    """The region and the account that keys without an ARN belong to."""

    region: str
    account: str

    def key_arn(self, key: str) -> str:
        """The ARN of a key that is named by its ARN, its id or an alias; each alias stands for a key of its own."""
        if key.startswith("arn:"):
            return key
        identifier = str(uuid5(NAMESPACE_URL, key)) if key.startswith("alias/") else key
        return f"arn:aws:kms:{self.region}:{self.account}:key/{identifier}"


class Encryption(NamedTuple):
    """What a description says of it; neither, for the key that is the service's own."""

    sse_type: str | None = None
    key_arn: str | None = None


def encryption_of(asked: SSESpecification | None, home: KeyHome) -> Encryption:
    """The encryption that a request asks for; refuses what contradicts itself."""
    if asked is None:
        return Encryption()
    is_enabled = asked.sse_type is not None if asked.enabled is None else asked.enabled
    if not is_enabled:
        for member, given in (("SSEType", asked.sse_type), ("KMSMasterKeyId", asked.kms_master_key_id)):
            if given is not None:
                raise invalid(f"{_INVALID}{member} can not be specified if Enabled is false")
        return Encryption()
    if asked.sse_type == "AES256":
        raise invalid(f"{_INVALID}SSEType AES256 is not supported")
    if asked.kms_master_key_id is not None and asked.sse_type is None:
        raise invalid(f"{_INVALID}SSEType KMS is required if KMSMasterKeyId is specified")
    return Encryption("KMS", home.key_arn(asked.kms_master_key_id or _AWS_MANAGED))


def with_encryption(definition: TableDefinition, asked: SSESpecification, home: KeyHome) -> TableDefinition:
    """A table with another key; refuses a request for the one that it has, where the service does (captured)."""
    wanted = encryption_of(asked, home)
    if wanted.sse_type is None and definition.sse_type is None:
        raise invalid(f"{_INVALID}Table is already encrypted by default")
    if asked.kms_master_key_id is not None and asked.kms_master_key_id == definition.kms_key_arn:
        raise invalid(
            f"{_INVALID}Table is already encrypted with given KMSMasterKeyId. "
            "Use KMSMasterKeyId parameter if you want to change Master Key"
        )
    return msgspec.structs.replace(definition, sse_type=wanted.sse_type, kms_key_arn=wanted.key_arn)
