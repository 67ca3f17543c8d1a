"""A few rows of every entity, always the same ones, for people who want to see a table before it has any."""
