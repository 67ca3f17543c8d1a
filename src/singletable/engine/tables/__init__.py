"""Table definitions: validation, description, throughput and settings."""
