"""Sample rows: a few deterministic items of every entity, which show a table before it contains data."""
