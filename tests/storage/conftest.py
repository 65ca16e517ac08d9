"""A store on a file of its own."""

import pytest

from bethink.storage.sqlite.store import SqliteStore


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memories.db"


@pytest.fixture
async def store(path):
    store = SqliteStore(path, synchronous="normal")
    yield store
    await store.close()
