"""Models from tables of access patterns as AWS publishes them, in Markdown or CSV."""
