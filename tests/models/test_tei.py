"""text-embeddings-inference over real HTTP on the loopback."""

import numpy as np
import pytest

from bethink.errors import Unavailable
from bethink.models.endpoint import WINDOW
from bethink.models.protocol import mismatch, shares_space
from bethink.models.tei import tei_embedder

INFO = {
    "model_id": "BAAI/bge-small-en-v1.5",
    "model_sha": "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
    "model_dtype": "float16",
    "model_type": {"embedding": {"pooling": "cls"}},
    "max_concurrent_requests": 512,
    "max_input_length": 128,
    "max_batch_tokens": 16384,
    "max_batch_requests": None,
    "max_client_batch_size": 32,
    "auto_truncate": False,
    "tokenization_workers": 4,
    "version": "1.8.2",
}


class Server:
    """What text-embeddings-inference answers; of the prompts it knows those in `prompts`."""

    def __init__(self, *prompts):
        self.info, self.prompts, self.dimensions = dict(INFO), prompts, 3

    def __call__(self, request):
        if request.path == "/info":
            return 200, self.info
        assert request.path == "/embed"
        assert (request.body["normalize"], request.body["truncate"]) == (True, True)
        prompt = request.body.get("prompt_name")
        if prompt is not None and prompt not in self.prompts:
            return 422, {"error": f"Prompt name '{prompt}' not found", "error_type": "Validation"}
        return 200, [[float(len(text)), *[1.0] * (self.dimensions - 1)] for text in request.body["inputs"]]


@pytest.fixture
async def tei(endpoint):
    endpoint.answer = Server()
    embedder = tei_embedder(endpoint.url)
    yield embedder
    await embedder.close()


@pytest.fixture
def server(tei, endpoint):  # noqa: ARG001  # the embedder's own
    return endpoint.answer


def place(endpoint):
    return endpoint.url.removeprefix("http://")


async def test_the_server_says_which_model_it_has_and_how_much_that_reads(tei, endpoint):
    before = tei.identity, tei.ready
    await tei.load()

    assert before == (f"tei:?@{place(endpoint)}", False)
    assert (tei.identity, tei.ready) == (f"tei:BAAI/bge-small-en-v1.5@{place(endpoint)}", True)
    assert (tei.window, tei.dimensions) == (126, 3)


async def test_a_model_that_reads_more_than_a_window_is_given_no_more(tei, server):
    server.info["max_input_length"] = 8192

    await tei.load()

    assert tei.window == WINDOW


async def test_vectors_come_back_in_order_and_with_length_one(tei):
    await tei.load()

    (one, two) = await tei.embed(["a", "four"], "query")

    np.testing.assert_allclose(one, np.array([1, 1, 1]) / 3**0.5, rtol=1e-6)
    np.testing.assert_allclose(two, np.array([4, 1, 1]) / 18**0.5, rtol=1e-6)


async def test_a_role_goes_by_the_prompt_of_its_name_where_the_model_has_one(tei, endpoint, server):
    server.prompts = ("query",)
    await tei.load()
    endpoint.requests.clear()

    await tei.embed(["a"], "query")
    await tei.embed(["a"], "document")

    assert [request.body.get("prompt_name") for request in endpoint.requests] == ["query", None]


async def test_before_it_has_said_so_nothing_is_embedded(tei):
    with pytest.raises(Unavailable, match="has not said yet which model it has"):
        await tei.embed(["a"], "query")


async def test_until_then_it_is_taken_for_the_model_whose_vectors_are_kept(tei, endpoint):
    kept = f"tei:intfloat/e5@{place(endpoint)}", 3
    before = shares_space(tei, kept), shares_space(tei, ("tei:intfloat/e5@other", 3))
    await tei.load()

    assert (before, shares_space(tei, kept)) == ((True, False), False)
    assert mismatch(tei, kept) == f"the vectors are of {kept[0]}, the embedder is {tei.identity}"


@pytest.mark.failure("F301")
async def test_a_server_that_comes_back_with_another_model_is_noticed(tei, endpoint, server):
    await tei.load()
    endpoint.first = [(400, {"error": "shutting down"})]
    with pytest.raises(Unavailable, match="answered 400"):
        await tei.embed(["a"], "query")
    server.info["model_id"], server.dimensions = "intfloat/multilingual-e5-small", 5

    was_ready = tei.ready
    await tei.load()

    assert was_ready is False
    assert (tei.identity, tei.dimensions) == (f"tei:intfloat/multilingual-e5-small@{place(endpoint)}", 5)


@pytest.mark.parametrize("info", [[], {}, {"model_id": "m"}, {"model_id": "m", "max_input_length": "many"}], ids=repr)
async def test_a_server_that_does_not_say_what_it_is_is_told(tei, server, info):
    server.info = info

    with pytest.raises(Unavailable, match="did not answer with the name and size of its model"):
        await tei.load()


@pytest.mark.parametrize(
    "reply", [{}, [], [[]], [["a"]], [[0.0, 0.0, 0.0]], [[float("nan"), 1.0, 1.0]], [[1.0], [2.0]]], ids=repr
)
async def test_a_reply_that_is_not_one_vector_a_text_is_refused(tei, endpoint, reply):
    await tei.load()
    endpoint.answer = lambda _: (200, reply)

    with pytest.raises(Unavailable, match="one vector a text"):
        await tei.embed(["a"], "query")


async def test_the_key_goes_in_the_header(endpoint):
    endpoint.answer = Server()
    embedder = tei_embedder(endpoint.url, key="tei-1")

    await embedder.load()

    assert {request.authorization for request in endpoint.requests} == {"Bearer tei-1"}
    await embedder.close()


async def test_a_model_that_does_not_embed_is_told_in_the_servers_words(tei, endpoint):
    endpoint.answer = lambda request: (
        (200, INFO) if request.path == "/info" else (424, {"error": "model is not an embedding model"})
    )

    with pytest.raises(Unavailable, match=r"answered 424: .*not an embedding model"):
        await tei.load()
