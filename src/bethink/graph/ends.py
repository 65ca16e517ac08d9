"""The memories at the ends of edges, as a caller is shown them."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.domain import Status, Value
from bethink.operation import Call
from bethink.storage.protocol import Snapshot
from bethink.storage.values import Outline, Selection


class End(Value):
    """A memory at the end of an edge: what it is called, and how many edges it has in reach."""

    handle: str
    kind: str
    title: str
    status: str | None = None
    namespace: str | None = None
    edges: int

    def named(self) -> str:
        """Return it in a line."""
        status = f" ({self.status})" if self.status else ""
        return f"[{self.handle}] {self.title}{status}"


def ends(call: Call, reader: Snapshot, memories: Sequence[str], reach: Selection) -> dict[str, End]:
    """Return the ends by id, as far as the caller may know of them; all must be in reach."""
    outlines = reader.outlines(memories)
    handles, degrees = reader.handles(memories, reach), reader.degrees(memories, reach)
    return {i: _end(call, outlines[i], handles[i], degrees[i]) for i in memories}


def _end(call: Call, outline: Outline, handle: str, edges: int) -> End:
    return End(
        handle=handle,
        kind=outline.kind,
        title=outline.title,
        status=None if outline.status == Status.active else outline.status,
        namespace=None if call.principal.confined else outline.namespace,
        edges=edges,
    )
