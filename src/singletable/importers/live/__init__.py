"""Importer of live tables: entities and keys inferred from a sample of items."""
