"""A refusal as the body of an answer, with the type names that the SDKs look for."""

from __future__ import annotations

import msgspec

from singletable.errors import RequestRefused

_DYNAMODB = "com.amazonaws.dynamodb.v20120810#"
_SERVICE = "com.amazon.coral.service#"
_NAMESPACES = {
    "ValidationException": "com.amazon.coral.validate#",
    "SerializationException": _SERVICE,
    "UnknownOperationException": _SERVICE,
    "MissingAuthenticationTokenException": _SERVICE,
    "IncompleteSignatureException": _SERVICE,
    "InvalidSignatureException": _SERVICE,
    "UnrecognizedClientException": _SERVICE,
    "AccessDeniedException": _SERVICE,
    "ThrottlingException": "com.amazon.coral.availability#",
}
# The reasons of a cancelled transaction are told under a name of another case, as the service does.
_MESSAGE = {"TransactionCanceledException": "Message", "SerializationException": "Message"}

_STATUS = {"InternalServerError": 500, "RequestTooLarge": 413, "RequestEntityTooLarge": 413}


def refusal_body(refusal: RequestRefused) -> bytes:
    """The JSON document that every SDK turns into its own exception."""
    document = {"__type": f"{_NAMESPACES.get(refusal.code, _DYNAMODB)}{refusal.code}", **refusal.fields}
    if refusal.message:
        document[_MESSAGE.get(refusal.code, "message")] = refusal.message
    return msgspec.json.encode(document)


def refusal_status(refusal: RequestRefused) -> int:
    """The HTTP status that goes with a refusal."""
    return _STATUS.get(refusal.code, 400)
