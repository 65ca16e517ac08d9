"""Where memories are kept: a protocol, and one room per database."""
