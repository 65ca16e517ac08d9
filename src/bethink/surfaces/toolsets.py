"""Which operations a model is shown: it pays for every one."""

from __future__ import annotations

from typing import Final

from bethink.engine import Bethink
from bethink.errors import InvalidRequest
from bethink.operation import Operation, operations
from bethink.principal import Principal

FULL: Final = "full"


def shown(toolsets: str, principal: Principal) -> dict[str, Operation]:
    """Return the operations that `toolsets` ("core", "full" or a comma list) name and `principal` may call, by tool."""
    served = [op for op in operations(Bethink).values() if "mcp" in op.surfaces]
    known = {FULL, *(op.toolset for op in served)}
    asked = {name for part in toolsets.split(",") if (name := part.strip())}
    if unknown := sorted(asked - known):
        raise InvalidRequest(
            f"tools: there is no toolset {unknown[0]!r}",
            hint=f"Use any of {', '.join(sorted(known))}, joined by commas.",
        )
    return {op.tool: op for op in served if (FULL in asked or op.toolset in asked) and op.allowed(principal)}


def exists(tool: str) -> bool:
    """Say whether there is such a tool at all, shown or not."""
    return any(op.tool == tool for op in operations(Bethink).values())
