"""The data layer: the tables and access patterns that an application calls."""
