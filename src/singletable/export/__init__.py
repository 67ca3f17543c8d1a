"""Export designs as infrastructure code and IAM policies."""
