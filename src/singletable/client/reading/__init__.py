"""Reads: turn plans and arguments into requests, and their responses into objects."""
