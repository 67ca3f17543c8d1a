"""The model: entities, key templates, indexes and access patterns, as declared and compiled."""
