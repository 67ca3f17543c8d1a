"""What passes through the tables: how much is let through, and which keys are used most; both only when asked for."""
