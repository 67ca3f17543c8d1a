"""Derived key values: computed from fields, never parsed back, never counted towards uniqueness."""
