"""Writes: planned once, validated before they are sent, with every index key and all derived data kept in sync."""
