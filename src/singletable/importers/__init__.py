"""Importers: models from live tables, other tools, pattern tables and SQL schemas."""
