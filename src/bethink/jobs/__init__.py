"""Work off the answer's path: what was read, and what waits."""
