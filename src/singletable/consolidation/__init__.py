"""Moves an application from many tables to one: mappings, dual writes, backfill, shadow reads and retirement."""

from singletable.consolidation.consolidation import Consolidation
from singletable.consolidation.old_clients import install
from singletable.consolidation.old_reads import old_read
from singletable.consolidation.pattern_modes import PatternState, read_pattern_states, switch_mode
from singletable.consolidation.shadow_reads import ShadowReads
from singletable.consolidation.shadowed_pattern import ShadowSettings
from singletable.consolidation.sources import CsvSource, DynamoDBSource, JsonLinesSource, LeftOut, SqlSource

__all__ = [
    "Consolidation",
    "CsvSource",
    "DynamoDBSource",
    "JsonLinesSource",
    "LeftOut",
    "PatternState",
    "ShadowReads",
    "ShadowSettings",
    "SqlSource",
    "install",
    "old_read",
    "read_pattern_states",
    "switch_mode",
]
