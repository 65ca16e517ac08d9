"""A store on a file of its own."""

import tempfile
from pathlib import Path

import pytest

from bethink.storage.sqlite.store import SqliteStore

IN_MEMORY = Path("/dev/shm")


@pytest.fixture
async def store(path):
    store = SqliteStore(path, synchronous="normal")
    yield store
    await store.close()


@pytest.fixture
def folder():
    """A folder that is quick to write to: in memory, where the system has such a place."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as name:
        yield Path(name)
