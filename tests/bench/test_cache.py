import numpy as np
import pytest

from bench.cache import CachedEmbedder, file_name
from bethink.testing import HashingEmbedder


class Counting(HashingEmbedder):
    def __init__(self):
        super().__init__()
        self.embedded = []

    async def embed(self, texts, role):
        self.embedded += texts
        return await super().embed(texts, role)


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.anyio
async def test_a_text_is_embedded_once_over_several_runs(tmp_path):
    first, second = Counting(), Counting()
    await CachedEmbedder(first, tmp_path).embed(["apple", "pear", "apple"], "document")

    vectors = await CachedEmbedder(second, tmp_path).embed(["pear", "plum"], "query")

    assert first.embedded == ["apple", "pear"]
    assert second.embedded == ["plum"]
    assert np.array_equal(vectors, await HashingEmbedder().embed(["pear", "plum"], "query"))


def test_an_identity_becomes_a_name_that_every_system_takes():
    assert file_name("openai:text/3@http://host") == "openai-text-3-http-host.db"
