"""Importer and exporter of NoSQL Workbench models."""
