"""An embedded DynamoDB with its actions, its storage and its interfaces: in process, boto3 and HTTP."""

from singletable.engine.engine import Engine
from singletable.engine.fault_injection import Faults

__all__ = ["Engine", "Faults"]
