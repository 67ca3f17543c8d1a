"""The example systems, shown: what each question becomes and costs, beside a table for every entity."""
