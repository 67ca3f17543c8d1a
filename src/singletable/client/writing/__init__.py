"""Writes: every key of every index is right after each of them, or the write is refused."""
