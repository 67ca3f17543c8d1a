"""Sample rows: a few deterministic items of every entity, to show a table before it has data."""
