"""Files made into memories: which are read, how each sort is cut, what is said about the rest."""
