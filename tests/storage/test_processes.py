"""Several processes on one file: together, at the same moment, and killed in mid-write."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bethink.errors import Conflict
from bethink.storage.sqlite.store import SqliteStore
from bethink.storage.values import Question
from bethink.testing import HashingEmbedder
from bethink.text.analyzer import query_terms
from tests.bed import memory_at
from tests.storage.drafts import choose, everything, flaws
from tests.storage.writing import NAMES

ROOT = Path(__file__).parents[2]
EACH = 500
ROUNDS = 10


def start(*arguments):
    command = [sys.executable, "-m", "tests.storage.writing", *map(str, arguments)]
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=ROOT
    )


def ended(processes):
    """Wait for all; return what each said of what it wrote: the last text of each id."""
    ends = [process.communicate() for process in processes]
    failed = [errors for process, (_, errors) in zip(processes, ends, strict=True) if process.returncode or errors]
    assert not failed, "\n".join(failed)
    return dict(line.split(" ", 1) for said, _ in ends for line in said.splitlines())


@pytest.mark.failure("F032", "F035", "F036")
async def test_four_processes_write_500_memories_each_beside_a_reader(path):
    writers = [start("write", path, name, EACH) for name in NAMES[:4]]
    reader, seen, lines = SqliteStore(path, synchronous="normal"), [0], []

    for line in writers[0].stdout:
        lines.append(line)
        if len(lines) % 10 == 0:
            seen.append(await reader.read(_counted))
    said = dict(line.rstrip("\n").split(" ", 1) for line in lines) | ended(writers)

    assert seen == sorted(seen)
    assert len(said) == await reader.read(_counted) == 4 * EACH
    assert await written(reader) == said
    assert [len(await found(reader, name)) for name in NAMES[:4]] == [EACH] * 4
    await reader.close()
    assert flaws(path) == []


def _counted(reader):
    """How many there are, which every way of counting in one snapshot agrees on."""
    held = reader.count(everything())
    indexed = reader.candidates(Question(), choose(valid_at=None)).size
    assert held == indexed == sum(reader.tally(everything(), "kind").values())
    return held


async def written(store):
    def work(reader):
        return {m.id: m.content for m in reader.memories(range(1, 100_000))}

    return await store.read(work)


async def found(store, words):
    question = Question(tuple(query_terms(words)), None, 10_000)
    return await store.read(lambda reader: reader.candidates(question, choose(valid_at=None)).numbers.tolist())


@pytest.mark.failure("F031")
async def test_many_calls_at_once_in_one_process_are_all_kept(path):
    memory = memory_at(path, embedder=HashingEmbedder())
    first = await memory.store("ada likes tabs")

    calls = [memory.store(f"note number{n}") for n in range(40)]
    calls += [memory.update(first.id, tags=[f"tag{n}"]) for n in range(5)]
    calls.append(memory.recall("ada"))
    done = await asyncio.gather(*calls, return_exceptions=True)

    assert all(not isinstance(outcome, Exception) or isinstance(outcome, Conflict) for outcome in done)
    assert (await memory.list()).total == 41
    assert flaws(path) == []
    await memory.close()


@pytest.mark.failure("F033")
async def test_processes_that_find_no_file_all_create_the_same_one(path):
    writers = [start("write", path, name, 1) for name in NAMES[:3]]

    said = ended(writers)

    store = SqliteStore(path)
    assert await written(store) == said
    await store.close()
    assert len(said) == 3


@pytest.mark.failure("F041")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked, which this system cannot do")
async def test_of_100_writers_killed_in_mid_write_nothing_acknowledged_is_lost_and_nothing_is_half_there(folder):
    paths = [folder / "one.db", folder / "two.db"]

    rounds = [start("kill", path, ROUNDS) for path in paths]
    said = [ended([process]) for process in rounds]

    assert 2 * ROUNDS * len(NAMES) == 100
    for path, acknowledged in zip(paths, said, strict=True):
        store = SqliteStore(path)
        kept = await written(store)
        assert {memory: text for memory, text in acknowledged.items() if _older(kept.get(memory), text)} == {}
        assert [len(await found(store, f"number{n}")) > 0 for n in (0, 1)] == [True, True]
        await store.close()
        assert flaws(path) == []
        await _goes_on(path)


def _older(kept, text):
    """Whether less is kept than was acknowledged; an update may have been committed and not yet been said."""
    return kept not in (text, f"{text} and tea")


async def _goes_on(path):
    memory = memory_at(path)
    assert (await memory.store("written after all were killed")).stored
    await memory.close()
