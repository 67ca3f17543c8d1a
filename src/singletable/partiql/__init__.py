"""PartiQL, DynamoDB's dialect of SQL, as statements over the expression tree."""
