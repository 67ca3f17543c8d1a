"""Backups, restores and point-in-time recovery."""
