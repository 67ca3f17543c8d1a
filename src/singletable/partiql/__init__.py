"""PartiQL statements: a parser and a printer, which use the syntax tree of DynamoDB expressions."""
