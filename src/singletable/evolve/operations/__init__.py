"""The operations of `diff`, one per file."""
