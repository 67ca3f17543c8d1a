"""The data layer: tables and access patterns as an application uses them."""
