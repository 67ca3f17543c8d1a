"""Access control: IAM policies of principals, enforced on every request before it reads the store."""
