"""Throttling and Contributor Insights: both are off unless enabled."""
