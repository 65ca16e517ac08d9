"""Works off what waits: vectors for memories that were stored without, bytes of what was erased, reads to count."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from bethink.errors import BethinkError, Unavailable
from bethink.ports import Ports
from bethink.storage.values import Job

from . import embed
from .reindex import reindex

log = logging.getLogger("bethink.worker")

PAUSE_SECONDS: Final = 5.0
_LEASE_MICROS: Final = 120_000_000
_MOST_ATTEMPTS: Final = 8
_DAY: Final = 86_400_000_000


class Worker:
    """One task that claims due jobs, one at a time; several processes may each have one."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin in the running event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="bethink-worker")

    async def stop(self) -> None:
        """End; a job that was not finished becomes due again when its lease ends."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._task = None

    async def _run(self) -> None:
        while True:
            await work_off(self._ports)
            await asyncio.sleep(PAUSE_SECONDS)


async def work_off(ports: Ports) -> None:
    """Write down what was read and do every job that is due; what goes wrong is logged and left to the next round.

    Erased bytes go first: they wait for no model.
    """
    try:
        await _work_off(ports, "scrub")
        await ports.journal.flush(ports.storage)
        await _prune_logs(ports)
        await reindex(ports)
        await _load(ports)
        await _work_off(ports, "embed")
    except BethinkError as wrong:
        log.warning("what waits cannot be worked off now: %s", wrong)
    except Exception:  # the edge of the process: nobody waits for the worker, so nobody else would tell
        log.exception("what waits was not worked off")


async def _prune_logs(ports: Ports) -> None:
    """Forget the details of reads that are older than they are kept, by the day: most rounds find nothing to write."""
    kept_from = ports.now() - ports.policy.log_days * _DAY
    oldest = await ports.storage.read(lambda reader: reader.oldest_log())
    if oldest is not None and oldest < kept_from - _DAY:
        await ports.storage.write(lambda writer: writer.prune_logs(kept_from))


async def _work_off(ports: Ports, kind: str) -> None:
    while await work_one(ports, kind):
        pass


async def _load(ports: Ports) -> None:
    try:
        await ports.embedder.load()
    except Unavailable:
        log.info("no embedder: memories wait for their vectors")


async def work_one(ports: Ports, kind: str) -> bool:
    """Do the oldest due job of a kind; False when there is none or it cannot be done now."""
    now = ports.now()
    if kind == "embed" and not ports.embedder.ready:
        return False
    if not await ports.storage.read(lambda reader: reader.has_due([kind], now)):
        return False
    job = await ports.storage.write(lambda writer: writer.claim([kind], now, _LEASE_MICROS))
    return job is not None and await _attempt(ports, job)


async def _attempt(ports: Ports, job: Job) -> bool:
    try:
        done = await _WORK[job.kind](ports, job)
    except BethinkError as wrong:
        log.warning("job %s %d failed: %s", job.kind, job.id, wrong)
        await _put_back(ports, job, str(wrong))
        return False
    except Exception as wrong:  # a fault of one job, which must not hold up the others
        log.exception("job %s %d failed", job.kind, job.id)
        await _put_back(ports, job, type(wrong).__name__)
        return False
    if not done:
        await _put_back(ports, job, "not possible yet")
    return done


async def _put_back(ports: Ports, job: Job, error: str) -> None:
    delay = min(2**job.attempts, 2**_MOST_ATTEMPTS) * 1_000_000
    try:
        await ports.storage.write(lambda writer: writer.fail(job, error, ports.now() + delay))
    except BethinkError as wrong:
        log.warning("job %s %d becomes due again when its lease ends: %s", job.kind, job.id, wrong)


async def _scrub(ports: Ports, job: Job) -> bool:
    if not await ports.storage.scrub():
        return False
    await ports.storage.write(lambda writer: writer.finish(job))
    return True


_WORK: Final = {"embed": embed.work, "scrub": _scrub}
