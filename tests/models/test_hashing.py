"""The public stand-in for a model."""

import numpy as np
import pytest

from bethink.errors import Unavailable
from bethink.testing import HashingEmbedder


async def test_texts_are_near_by_the_words_they_share():
    vectors = await HashingEmbedder().embed(["Ada likes tabs", "tabs, likes ADA", "invoices are due", ""], "document")

    np.testing.assert_allclose(vectors @ vectors[0], [1, 1, 0, 0], atol=1e-6)


async def test_every_row_has_length_one():
    vectors = await HashingEmbedder().embed(["", "a b c", "a a a"], "query")

    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)


async def test_it_can_be_made_to_load_first():
    embedder = HashingEmbedder(loads=True)
    with pytest.raises(Unavailable):
        await embedder.embed(["a"], "query")

    await embedder.load()

    assert (await embedder.embed(["a"], "query")).shape == (1, 64)


def test_token_starts_are_those_of_words():
    assert HashingEmbedder().token_starts("one, two") == [0, 5]
