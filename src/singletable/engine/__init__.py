"""An embedded DynamoDB engine: its actions, its storage, and its interfaces (direct calls, boto3 and HTTP)."""

from typing import TYPE_CHECKING

from singletable.engine.engine import Engine, Faults

if TYPE_CHECKING:
    from singletable.engine.access.policy_document import parse_policies as parse_policies
    from singletable.engine.access.principal import Principal as Principal

__all__ = ["Engine", "Faults", "Principal", "parse_policies"]


def __getattr__(name: str) -> object:
    """Import the access control when it is first used, because most engines have no principals."""
    if name == "Principal":
        from singletable.engine.access.principal import Principal

        return Principal
    if name == "parse_policies":
        from singletable.engine.access.policy_document import parse_policies

        return parse_policies
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
