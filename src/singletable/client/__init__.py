"""Tables and patterns as an application touches them."""
