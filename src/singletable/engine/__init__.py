"""The embedded DynamoDB: its actions, its storage and its doors."""

from singletable.engine.engine import Engine
from singletable.engine.faults import Faults

__all__ = ["Engine", "Faults"]
