"""The sorts of things that a name can stand for; others may be given, the list is open."""

from __future__ import annotations

from typing import Final

CONCEPT: Final = "concept"  # also of a name of which nothing tells what it stands for
PERSON: Final = "person"
SORTS: Final = (
    PERSON, "organisation", "team", "project", "repo", "file", "code", "ticket", "tool", "service", "product",
    "version", "place", "date", "event", CONCEPT,
)  # fmt: skip
