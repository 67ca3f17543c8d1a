"""PartiQL statements: a parser and a printer; their conditions and changes are trees of DynamoDB expressions."""
