"""What Bethink can do: one file per operation."""
