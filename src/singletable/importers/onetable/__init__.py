"""Importer of OneTable schemas."""
