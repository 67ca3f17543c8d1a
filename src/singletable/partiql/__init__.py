"""PartiQL statements: a parser and a printer. Their conditions and changes are trees of DynamoDB expressions."""
