"""Importer of worksheets of access patterns."""
