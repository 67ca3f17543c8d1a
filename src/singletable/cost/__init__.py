"""What a design costs: units by call, money by month, and whether one table is worth it."""
