"""Reads: a plan and the caller's arguments become requests, and their answers typed objects."""
