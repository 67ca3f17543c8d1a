"""The shop as an application with boto3 and four tables, designed as for a relational database."""
