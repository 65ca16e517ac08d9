"""A memory that is found by its words, and one that many tests only read."""

import asyncio

import pytest

from bethink.testing import HashingEmbedder
from tests.bed import Clock, Ids, memory_at


@pytest.fixture
async def memory(path):
    memory = memory_at(path, clock=Clock(), ids=Ids())
    yield memory
    await memory.close()


@pytest.fixture
async def hashing(path):
    memory = memory_at(path, embedder=HashingEmbedder(), clock=Clock(), ids=Ids())
    yield memory
    await memory.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A memory that the tests of a module fill once, through `fill(memory)`, and then only read."""
    memory = memory_at(tmp_path_factory.mktemp("shared") / "memories.db", clock=Clock(), ids=Ids())
    yield memory
    asyncio.run(memory.close())
