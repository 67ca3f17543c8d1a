"""Validation rules of pydantic, msgspec, attrs and dataclass fields."""
