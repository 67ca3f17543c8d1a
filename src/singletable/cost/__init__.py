"""Cost of a design: units per call, dollars per month, and a comparison with one table per entity."""
