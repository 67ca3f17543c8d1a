"""Derived values: computed from fields and written into keys, such as shards, buckets and geohash cells."""
