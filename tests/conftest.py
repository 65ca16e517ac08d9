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
    """Say whether work ends within half a minute: it takes a moment, or, where it grows with the square, minutes."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("nothing here interrupts what takes too long")

    def give_up(*_):
        raise TimeoutError

    def ends(work, *values):
        signal.setitimer(signal.ITIMER_REAL, 30)
        try:
            work(*values)
        except TimeoutError:
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return True

    before = signal.signal(signal.SIGALRM, give_up)
    yield ends
    signal.signal(signal.SIGALRM, before)
