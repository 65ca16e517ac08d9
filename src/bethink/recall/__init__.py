"""Question in, ranked hits out."""
