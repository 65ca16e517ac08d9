"""Models that read text: one protocol, one file per provider."""
