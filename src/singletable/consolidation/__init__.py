"""From several tables to one: compare the old and the new implementation of each read while the application runs."""

from singletable.consolidation.old_reads import old_read
from singletable.consolidation.pattern_modes import PatternState, read_pattern_states, switch_mode
from singletable.consolidation.shadow_reads import ShadowReads
from singletable.consolidation.shadowed_pattern import ShadowSettings

__all__ = ["PatternState", "ShadowReads", "ShadowSettings", "old_read", "read_pattern_states", "switch_mode"]
