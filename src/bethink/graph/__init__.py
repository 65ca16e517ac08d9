"""Entities and what ties memories together."""
