"""What the stems of irregular verbs become, by the stem that the rest of the verb has."""

from __future__ import annotations


def stems(table: str) -> dict[str, str]:
    """Read `of: one another; of: ...` as what each of the others becomes."""
    rows = (row.split(":") for row in table.split(";"))
    return {irregular: stem.strip() for stem, others in rows for irregular in others.split()}
