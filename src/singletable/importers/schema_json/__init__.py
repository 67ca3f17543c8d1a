"""Importer of schema.json files of the AWS modelling server."""
