"""Rerankers over real HTTP on the loopback, and one that really runs here."""

import pytest

from bethink.errors import InvalidRequest, Unavailable
from bethink.models.cohere import WIRE as COHERE
from bethink.models.cohere import cohere_reranker
from bethink.models.connection import Key
from bethink.models.hub import Hub
from bethink.models.hub_reranker import HubReranker
from bethink.models.rerank_endpoint import EndpointReranker, logistic
from bethink.models.spec import RERANKER_FORMS, reranker_from_spec
from bethink.models.tei import tei_reranker

from . import tiny
from .hub_server import MODEL

KEY = "co-secret"


def speak_tei(request):
    assert (request.path, request.body["raw_scores"], request.body["truncate"]) == ("/rerank", False, True)
    scores = [(at, text.count("cat") / 10) for at, text in enumerate(request.body["texts"])]
    return 200, [{"index": at, "score": score} for at, score in sorted(scores, key=lambda s: -s[1])]


def speak_cohere(request):
    assert (request.path, set(request.body)) == ("/v2/rerank", {"model", "query", "documents"})
    scores = [(at, text.count("cat") / 10) for at, text in enumerate(request.body["documents"])]
    results = [{"index": at, "relevance_score": score} for at, score in sorted(scores, key=lambda s: -s[1])]
    return 200, {"id": "07734bd2", "results": results, "meta": {"api_version": {"version": "2"}}}


class Pauses:
    def __init__(self):
        self.seconds = []

    async def __call__(self, seconds):
        self.seconds.append(seconds)


@pytest.fixture
async def tei(endpoint):
    endpoint.answer = speak_tei
    reranker = tei_reranker(endpoint.url)
    yield reranker
    await reranker.close()


@pytest.fixture
async def cohere(endpoint):
    endpoint.answer = speak_cohere
    reranker = EndpointReranker(COHERE, "rerank-v3.5", url=f"{endpoint.url}/v2", key=Key(KEY, "it"), pause=Pauses())
    yield reranker
    await reranker.close()


@pytest.fixture
async def local(hub, tmp_path):
    hub.files = tiny.reranker()
    reranker = HubReranker(Hub(tmp_path, hub.url), MODEL)
    yield reranker
    await reranker.close()


async def test_text_embeddings_inference_scores_each_text_in_order(tei, endpoint):
    assert await tei.relevance("which pets?", ["a cat", "a dog", "cat cat"]) == [0.1, 0.0, 0.2]
    assert endpoint.requests[0].body["query"] == "which pets?"


async def test_cohere_scores_each_text_in_order(cohere, endpoint):
    assert await cohere.relevance("which pets?", ["a cat", "a dog", "cat cat"]) == [0.1, 0.0, 0.2]

    (request,) = endpoint.requests
    assert (request.authorization, request.body["model"]) == (f"Bearer {KEY}", "rerank-v3.5")


async def test_many_texts_go_in_batches_of_32(tei, endpoint):
    texts = ["cat " * (n % 5) for n in range(40)]

    assert await tei.relevance("pets", texts) == [text.count("cat") / 10 for text in texts]
    assert [len(request.body["texts"]) for request in endpoint.requests] == [32, 8]


async def test_bare_logits_become_probabilities(cohere, endpoint):
    endpoint.answer = lambda _: (
        200,
        {"results": [{"index": at, "relevance_score": score} for at, score in enumerate([8, -11.5, 0, 900])]},
    )

    assert await cohere.relevance("pets", ["a", "b", "c", "d"]) == [logistic(8), logistic(-11.5), 0.5, 1.0]


@pytest.mark.parametrize(
    "reply",
    [
        "text",
        {},
        [],
        [{"index": 0}],
        [{"index": 0, "score": None}, {"index": 1, "score": 1.0}],
        [{"index": 0, "score": 0.1}],
        [{"index": 0, "score": 0.1}, {"index": 0, "score": 0.2}],
        [{"index": 0, "score": 0.1}, {"index": 2, "score": 0.2}],
        [{"index": 0, "score": float("nan")}, {"index": 1, "score": 0.2}],
    ],
    ids=repr,
)
async def test_a_reply_that_is_not_one_score_a_text_is_refused(tei, endpoint, reply):
    endpoint.answer = lambda _: (200, [reply] if reply == "text" else reply)

    with pytest.raises(Unavailable, match="one score a text"):
        await tei.relevance("pets", ["a", "b"])


async def test_what_may_pass_is_tried_again_and_what_does_not_is_told_without_the_key(cohere, endpoint):
    endpoint.first = [(429, {}), (503, {})]
    assert await cohere.relevance("pets", ["cat"]) == [0.1]

    endpoint.answer = lambda _: (400, f"invalid token {KEY}")
    with pytest.raises(Unavailable, match=r"answered 400: invalid token \*\*\*"):
        await cohere.relevance("pets", ["cat"])


async def test_a_model_that_does_not_rerank_is_told_in_the_servers_words(tei, endpoint):
    endpoint.answer = lambda _: (424, {"error": "model is not a re-ranker model", "error_type": "Backend"})

    with pytest.raises(Unavailable, match=r"answered 424: .*not a re-ranker"):
        await tei.relevance("pets", ["cat"])


async def test_a_cross_encoder_of_the_hub_reads_question_and_text_together(local):
    before = local.ready
    await local.load()

    relevance = await local.relevance("cat cat cat", ["dog", "cat", "cat cat"])

    assert (before, local.ready, local.identity) == (False, True, f"hub:{MODEL}")
    assert relevance == pytest.approx([logistic(-1), logistic(1), logistic(3)])


async def test_of_a_long_text_as_much_is_read_as_fits(local):
    await local.load()

    (relevance,) = await local.relevance("pets", ["dog " * 600 + "cat"])

    assert relevance == pytest.approx(logistic(-1))


async def test_before_it_is_loaded_it_says_nothing(local):
    with pytest.raises(Unavailable, match=f"{MODEL} is not loaded yet"):
        await local.relevance("pets", ["cat"])


async def test_a_model_that_says_several_things_of_a_pair_is_refused(hub, local):
    hub.files = tiny.reranker(labels=3)

    with pytest.raises(Unavailable, match="says 3 things of a question and a text"):
        await local.load()


async def test_an_embedder_is_no_reranker(hub, local):
    hub.files = tiny.embedder()

    with pytest.raises(Unavailable, match="makes last_hidden_state, not logits"):
        await local.load()


@pytest.mark.parametrize(
    ("spec", "identity"),
    [
        ("hub:BAAI/bge-reranker-v2-m3", "hub:BAAI/bge-reranker-v2-m3"),
        ("tei:http://localhost:8081/", "tei:localhost:8081"),
        ("cohere:rerank-v3.5", "cohere:rerank-v3.5@api.cohere.com/v2"),
        ("cohere:jina-reranker-v2@https://api.jina.ai/v1", "cohere:jina-reranker-v2@api.jina.ai/v1"),
        ("cohere:bge@http://localhost:8000", "cohere:bge@localhost:8000/v1"),
    ],
)
async def test_a_spec_names_a_reranker(tmp_path, spec, identity):
    reranker = reranker_from_spec(spec, environment={}, folder=tmp_path)

    assert reranker.identity == identity
    await reranker.close()


def test_none_is_no_reranker(tmp_path):
    assert reranker_from_spec("none", environment={}, folder=tmp_path) is None


@pytest.mark.parametrize("spec", ["", "minilm", "cohere:", "tei:m", "openai:m", "hub:name", "cohere:m@http://"])
def test_any_other_spec_is_refused_with_the_accepted_forms(tmp_path, spec):
    with pytest.raises(InvalidRequest, match="unknown reranker") as caught:
        reranker_from_spec(spec, environment={}, folder=tmp_path)

    assert caught.value.hint == f"Accepted: {', '.join(RERANKER_FORMS)}."


@pytest.mark.parametrize("variable", ["COHERE_API_KEY", "CO_API_KEY"])
async def test_the_key_comes_from_either_variable(endpoint, tmp_path, variable):
    endpoint.answer = lambda _: (200, {"results": [{"index": 0, "relevance_score": 0.5}]})
    reranker = reranker_from_spec(f"cohere:m@{endpoint.url}", environment={variable: KEY}, folder=tmp_path)

    await reranker.relevance("a", ["b"])

    assert [request.authorization for request in endpoint.requests] == [f"Bearer {KEY}"]
    await reranker.close()


def test_a_missing_key_names_the_variables():
    assert "COHERE_API_KEY or CO_API_KEY" in repr(cohere_reranker("m")._connection._key)
