"""A multi-tenant help desk: a model, the operations on it, and a web API with FastAPI."""
