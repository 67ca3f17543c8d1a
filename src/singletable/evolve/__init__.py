"""Snapshots of a design, and the differences between two designs as operations; no network and no engine."""
