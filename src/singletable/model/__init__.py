"""What the user declared: entities, key templates, indexes and access patterns."""
