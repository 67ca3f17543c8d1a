"""Exact codecs: how each type of field is written into a key and read back."""
