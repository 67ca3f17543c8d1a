"""Design a table: keys for the entities of a model that have none, with the proof that fewer indexes do not suffice."""
