"""Where the store of a test is."""

import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memories.db"
