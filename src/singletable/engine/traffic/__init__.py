"""Throttling and Contributor Insights, both of which are disabled by default."""
