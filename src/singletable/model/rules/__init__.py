"""Validation rules of users' classes: pydantic, dataclasses, msgspec and attrs."""
