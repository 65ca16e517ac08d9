"""The embedded model, really loaded."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from bethink.errors import Unavailable
from bethink.models.endpoint import PROBE, crosses_languages
from bethink.models.minilm import FOLDER, MiniLm

if not FOLDER.is_dir():
    pytest.skip("the embedded model is not built: run `make`", allow_module_level=True)


@pytest.fixture
async def minilm():
    embedder = MiniLm()
    await embedder.load()
    yield embedder
    await embedder.close()


async def test_a_paraphrase_is_nearer_than_an_unrelated_text(minilm):
    texts = ["The cat sat on the mat.", "A feline rested on the rug.", "Quarterly taxes are due."]

    cat, feline, taxes = await minilm.embed(texts, "document")

    assert (cat @ feline > 0.5, cat @ taxes < 0.2) == (True, True)


async def test_every_row_has_length_one_and_the_stated_dimensions(minilm):
    vectors = await minilm.embed(["one", "two words", ""], "query")

    assert vectors.shape == (3, minilm.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_no_text_gives_no_row(minilm):
    assert (await minilm.embed([], "document")).shape == (0, minilm.dimensions)


async def test_a_text_has_the_same_vector_alone_and_among_others(minilm):
    texts = [f"note {number}: " + "the build was slow " * number for number in range(1, 12)]

    together = await minilm.embed(texts, "document")
    alone = [(await minilm.embed([text], "document"))[0] for text in texts]

    assert together.tobytes() == np.array(alone).tobytes()


async def test_the_tokens_of_a_text_come_with_the_same_vector_and_the_words_that_they_are_of(minilm):
    text = "Unfathomable kubernetes, isn't it?"

    alone = await minilm.embed([text], "query")
    rows, (tokens,) = await minilm.embed_tokens([text], "query")

    assert rows.tobytes() == alone.tobytes()
    assert tokens.codes.shape == (len(tokens.words), minilm.dimensions // 8)
    words = [text[start:stop] for start, stop in tokens.words]
    assert (words[0], words.count("Unfathomable") > 1) == ("Unfathomable", True)
    assert list(dict.fromkeys(words)) == ["Unfathomable", "kubernetes", ",", "isn", "'", "t", "it", "?"]


async def test_tokens_beyond_the_window_are_left_out_with_the_words_they_are_of(minilm):
    _, (tokens,) = await minilm.embed_tokens(["word " * (minilm.window + 50)], "document")

    assert (len(tokens.codes), len(tokens.words)) == (minilm.window, minilm.window)


async def test_a_word_is_more_like_itself_in_another_sentence_than_like_others(minilm):
    _, (one, other) = await minilm.embed_tokens(["The dog sleeps.", "My dog eats apples."], "document")

    same = np.bitwise_count(one.codes[1] ^ other.codes[1]).sum()
    others = [np.bitwise_count(one.codes[1] ^ code).sum() for code in other.codes[[0, 2, 3]]]

    assert same < min(others)


async def test_what_lies_beyond_the_window_does_not_reach_the_vector(minilm):
    whole = " ".join(["word"] * minilm.window)

    within, beyond = await minilm.embed([whole, f"{whole} unrelated giraffe"], "document")
    shorter = (await minilm.embed([whole.removesuffix(" word")], "document"))[0]

    assert within.tobytes() == beyond.tobytes()
    assert within.tobytes() != shorter.tobytes()


async def test_token_starts_are_character_offsets(minilm):
    assert minilm.token_starts("Ähm, 東京 embeddings") == [0, 2, 3, 5, 6, 8, 10, 13, 17]


async def test_token_starts_are_not_cut_at_the_window(minilm):
    assert len(minilm.token_starts("word " * 1000)) == 1000


async def test_it_does_not_claim_to_cross_languages(minilm):
    assert crosses_languages(await minilm.embed(PROBE, "document")) is minilm.multilingual


async def test_loading_starts_in_the_background_and_makes_it_ready():
    embedder = MiniLm()
    before = embedder.ready
    embedder.start_loading()
    await embedder.load()

    assert (before, embedder.ready) == (False, True)
    await embedder.close()


@pytest.mark.failure("F146")
def test_the_runtime_gathers_no_telemetry_and_leaves_nothing_in_the_users_home(tmp_path):
    embed = (
        "import asyncio, time; from bethink.models.minilm import MiniLm; minilm = MiniLm();"
        "asyncio.run(minilm.load()); asyncio.run(minilm.embed(['The crane is red.'], 'query'))"
    )
    own = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}

    subprocess.run([sys.executable, "-c", embed], env={**own, **home}, check=True, timeout=60)

    assert list(tmp_path.rglob("*")) == []


def test_the_model_loads_while_another_thread_is_importing_numpy():
    # The library of the model imports a part of numpy from C. Where the whole has not come yet, the two imports wait
    # for each other, Python breaks the tie with half a module, and now and then no thread can import numpy any more.
    meet = """
import sys, threading
from importlib.machinery import PathFinder
from bethink.models.minilm import MiniLm

class Halfway:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy.version":
            spec = PathFinder.find_spec(name, path, target)
            go_on = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (meet(), go_on(module))
            return spec

def meet():
    embedder.start_loading()
    threading.Event().wait(2)  # until the other is as far as it comes
    assert "numpy._core" not in sys.modules, "a part is there before the whole"

embedder = MiniLm()
sys.meta_path.insert(0, Halfway())
import numpy
embedder._background._loading.result(30)
"""
    done = subprocess.run([sys.executable, "-c", meet], capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 0, done.stderr


async def test_embed_refuses_to_wait_for_the_model():
    embedder = MiniLm()

    with pytest.raises(Unavailable, match="not loaded yet"):
        await embedder.embed(["text"], "query")
    with pytest.raises(Unavailable, match="not loaded yet"):
        embedder.token_starts("text")
    await embedder.close()


async def test_a_missing_model_is_unavailable_and_says_what_to_do(tmp_path):
    embedder = MiniLm(folder=tmp_path)

    with pytest.raises(Unavailable, match="missing") as caught:
        await embedder.load()

    assert "Reinstall" in caught.value.hint
    assert not embedder.ready
    await embedder.close()


async def test_a_damaged_model_is_unavailable_and_names_the_file(tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "minilm")
    with (folder / "model.onnx").open("r+b") as model:
        model.truncate(1000)
    embedder = MiniLm(folder=folder)

    with pytest.raises(Unavailable, match=r"damaged \(model.onnx\)"):
        await embedder.load()
    with pytest.raises(Unavailable, match="damaged"):
        await embedder.embed(["text"], "query")
    await embedder.close()


async def test_a_model_of_another_recipe_is_unavailable(tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "minilm")
    stamp = folder / "recipe.json"
    stamp.write_text(stamp.read_text().replace(MiniLm.identity, "minilm-l6-v2-int8:0"))
    embedder = MiniLm(folder=folder)

    with pytest.raises(Unavailable, match="another recipe"):
        await embedder.load()
    await embedder.close()


async def test_after_the_close_it_is_not_loaded_again():
    embedder = MiniLm()
    await embedder.close()

    embedder.start_loading()
    with pytest.raises(Unavailable, match="the memory is closed"):
        await embedder.load()

    assert not embedder.ready
