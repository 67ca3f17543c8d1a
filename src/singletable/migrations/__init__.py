"""Migrations: files, a runner, and passes over the items of a table, for design changes of tables with data."""
