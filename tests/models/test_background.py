"""Models that load on a thread."""

import pytest

from bethink.errors import Unavailable
from bethink.models.background import AGAIN_AFTER, Background


class Model:
    """Fails to load as often as told, and counts the tries."""

    def __init__(self, failures=0):
        self.failures, self.tries = failures, 0

    def __call__(self):
        self.tries += 1
        if self.tries <= self.failures:
            raise Unavailable(f"failed {self.tries}")
        return "model"


async def test_it_is_loaded_once_and_then_there():
    load = Model()
    background = Background(load, name="it", threads="test")
    before = background.model

    found = await background.wait(), await background.wait()

    assert (before, found, background.model, load.tries) == (None, ("model", "model"), "model", 1)
    await background.close()


async def test_what_failed_is_tried_again_after_a_minute_and_not_before(caplog):
    load, now = Model(failures=1), [100.0]
    background = Background(load, name="it", threads="test", clock=lambda: now[0])
    for _ in range(2):
        with pytest.raises(Unavailable, match="failed 1"):
            await background.wait()
    tries = load.tries

    now[0] += AGAIN_AFTER

    assert (tries, await background.wait(), load.tries) == (1, "model", 2)
    assert caplog.messages == ["it cannot be loaded: failed 1"]
    await background.close()


async def test_work_comes_back_in_order():
    background = Background(Model(), name="it", threads="test")

    assert await background.each(len, ["aaa", "", "a"]) == [3, 0, 1]
    await background.close()


async def test_before_it_is_loaded_and_after_the_close_it_is_unavailable():
    background = Background(Model(), name="the model", threads="test")
    with pytest.raises(Unavailable, match="the model is not loaded yet"):
        background.loaded()

    await background.wait()
    await background.close()

    with pytest.raises(Unavailable, match="the memory is closed"):
        await background.wait()
