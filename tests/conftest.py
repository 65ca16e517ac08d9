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


@pytest.fixture
def patience():
    """Give up after half a minute: what these tests do takes a moment, or, where it grows with the square, minutes."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def give_up(*_):
        raise TimeoutError("this takes more than a time in proportion to the text")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 30)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
