"""Streams, change logs and expiry times of tables."""
