"""Pure functions over text: cleaning, terms, cutting, dates, secrets and what a reader is shown."""
