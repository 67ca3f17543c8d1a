"""The shop as an application with boto3 and four tables, as people write it who come from a relational database."""
