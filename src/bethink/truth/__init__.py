"""What became of a memory: versions, retirement, erasure."""
