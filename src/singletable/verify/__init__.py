"""Findings about a design, and the worksheet of its access patterns."""
