"""An embedded DynamoDB engine: its actions, its storage, and its interfaces (direct calls, boto3 and HTTP)."""

from singletable.engine.engine import Engine, Faults

__all__ = ["Engine", "Faults"]
