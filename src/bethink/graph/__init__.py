"""Edges between memories: naming them, keeping them sound, walking along them."""
