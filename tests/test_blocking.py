"""The memory for code that does not await."""

import asyncio
import inspect
import signal
import threading

import pytest

from bethink import BlockingBethink
from bethink.engine import Bethink
from bethink.errors import InvalidRequest, Unavailable
from bethink.operation import operations


@pytest.fixture
def memory(tmp_path):
    with BlockingBethink.open(tmp_path / "memories.db", embedder="none") as opened:
        yield opened


def test_what_is_stored_is_recalled_without_await(memory):
    memory.store("Ada prefers tabs", tags=["style"])

    assert [hit.title for hit in memory.recall("what does Ada prefer").hits] == ["Ada prefers tabs"]


def test_it_has_every_operation_with_the_same_parameters():
    for name, operation in operations(Bethink).items():
        awaited = list(inspect.signature(operation.fn).parameters)[1:]

        assert list(inspect.signature(getattr(BlockingBethink, name)).parameters)[1:] == awaited, name


def test_errors_reach_the_caller(memory):
    with pytest.raises(InvalidRequest, match="'limti' is not a parameter"):
        memory.recall("anything", limti=3)


def test_several_threads_may_share_it(memory):
    threads = [threading.Thread(target=memory.store, args=(f"fact number {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert memory.list(limit=20).total == 8


def test_closing_twice_is_harmless(tmp_path):
    memory = BlockingBethink.open(tmp_path / "memories.db", embedder="none")
    memory.close()
    memory.close()

    assert not any(thread.name == "bethink" for thread in threading.enumerate())


def test_a_call_after_the_close_is_refused(tmp_path):
    memory = BlockingBethink.open(tmp_path / "memories.db", embedder="none")
    memory.close()

    with pytest.raises(Unavailable, match="the memory is closed"):
        memory.list()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="this system sends no signal to a thread")
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_cancels_the_call_that_waits(memory):
    ended = threading.Event()

    async def interrupted():
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        memory.run(interrupted())

    assert ended.wait(5)
