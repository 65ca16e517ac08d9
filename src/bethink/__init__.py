"""Bethink: a lasting, searchable, self-keeping memory for AI agents.

from bethink import Bethink

async with Bethink.open("memories.db") as memory:
    await memory.store("We chose PostgreSQL because of row-level security.", kind="decision")
    found = await memory.recall("which database did we pick?")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .blocking import BlockingBethink
    from .engine import Bethink
    from .principal import Principal, confined, owner

__all__ = ["Bethink", "BlockingBethink", "Principal", "confined", "owner"]
__version__ = "0.1.0"

_HOMES = {
    "Bethink": "engine",
    "BlockingBethink": "blocking",
    "Principal": "principal",
    "confined": "principal",
    "owner": "principal",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: `import bethink` alone costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bethink' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
