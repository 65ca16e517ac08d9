"""Text in, memories out."""
