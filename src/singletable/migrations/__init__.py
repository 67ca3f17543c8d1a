"""Migrations: files, runner and passes over the items of a table that change a design with data."""
