"""What the tests of the whole share."""

import signal

import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memories.db"


@pytest.fixture
def interruptible():
    """Interrupts arrive here and in processes that are started, though a shell's background job ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
