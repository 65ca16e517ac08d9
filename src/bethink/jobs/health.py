"""What keeps a store from serving all that it holds, in words that say what to do."""

from __future__ import annotations

from typing import Final

from bethink.models.protocol import NONE, mismatch, shares_space
from bethink.ports import Ports
from bethink.storage.protocol import Snapshot
from bethink.storage.values import Backlog
from bethink.text.analyzer import VERSION
from bethink.text.counts import counted, memories

_HOUR: Final = 3_600_000_000
"""Work that a running server has not come to for so long is not being done."""


def index_state(reader: Snapshot) -> str:
    """Say whether the keyword index is of this program: current, outdated or newer."""
    version = reader.analyzer()
    return "current" if version == VERSION else "outdated" if version < VERSION else "newer"


def hindrances(ports: Ports, reader: Snapshot, *, waiting: int) -> list[str]:
    """Return what hinders search, as any caller may know it; `waiting` memories in its reach have no vectors."""
    found = [_INDEX.get(index_state(reader)), _embedder(ports, reader, waiting)]
    return [reason for reason in found if reason]


def arrears(ports: Ports, reader: Snapshot) -> list[str]:
    """Return what the queue of the whole store has not got done, for its owner."""
    served = [b for b in reader.backlog() if b.kind != "embed" or ports.embedder.identity != NONE]
    return [reason for b in served for reason in (_failed(b), _late(b, ports.now())) if reason]


_INDEX: Final = {
    "outdated": "the keyword index is of an earlier version, words may be missed: run `bethink reindex`",
    "newer": "a newer Bethink made the keyword index, words may be missed: update Bethink",
}


def _embedder(ports: Ports, reader: Snapshot, waiting: int) -> str | None:
    embedder, kept = ports.embedder, reader.embedder()
    if kept is not None and embedder.identity == NONE:
        return f"no embedder is set: the vectors of {kept[0]} are not searched"
    if kept is not None and not shares_space(embedder, kept):
        return f"{mismatch(embedder, kept)}: run `bethink reembed`"
    # Where calls wait for the embedder, one that has not been needed yet is no fault.
    if waiting and embedder.identity != NONE and not embedder.ready and not ports.policy.wait_for_embedder:
        return f"the embedder is not ready, {memories(waiting)} without vectors: see the log"
    return None


def _failed(backlog: Backlog) -> str | None:
    if not backlog.failed:
        return None
    return f"{_jobs(backlog.kind, backlog.failed)} failed and will be tried again: see the log"


def _late(backlog: Backlog, now: int) -> str | None:
    late = 0 if backlog.since is None else (now - backlog.since) // _HOUR
    if late < 1:
        return None
    return f"{_jobs(backlog.kind, backlog.waiting)} waiting, the oldest for {late:,} h: keep a server running"


def _jobs(kind: str, number: int) -> str:
    return counted(number, f"{kind} job", f"{kind} jobs")
