"""Stored items compared with the model: items that differ from the model, and the use of partitions."""
