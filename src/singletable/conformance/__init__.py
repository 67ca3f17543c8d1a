"""Stored items compared with the model: which items the model would not write, and how partitions are used."""
