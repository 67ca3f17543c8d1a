"""The rules of advice, one per file."""
