"""Models from SQL schemas and queries: SQLite, PostgreSQL and MySQL, parsed by SQLGlot."""
