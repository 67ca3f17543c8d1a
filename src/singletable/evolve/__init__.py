"""Snapshots of a design, and the differences between two designs as operations. Needs no network and no engine."""
