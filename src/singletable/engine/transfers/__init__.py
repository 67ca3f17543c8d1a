"""Exports to and imports from S3 buckets, which are local folders."""
