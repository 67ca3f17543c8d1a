"""Analytics: typed Arrow tables per entity, exports to files, and SQL over the entities of a table."""
