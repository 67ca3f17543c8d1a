"""The data layer: the table classes and access patterns that an application calls."""
