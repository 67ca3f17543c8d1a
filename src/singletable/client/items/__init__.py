"""Items: decode stored items into objects of the user's classes, and identify their entities."""
