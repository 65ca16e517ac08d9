"""Other memories are measured where they can be had, and left out with a message where not."""

import json

import pytest

from bench.installed import NotInstalled, installed, lay_model
from bench.peers import PEERS, Peer, measured, tables

SAID = {peer.name: peer for peer in PEERS}


def text(said):
    return {"content": [{"type": "text", "text": said}]}


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("Bethink", {"structuredContent": {"hits": [{"text": "one"}, {"text": "two\nlines"}]}}),
        ("gingugu", text(json.dumps({"memories": [{"content": "one"}, {"content": "two\nlines"}]}))),
        ("mempalace", text(json.dumps({"results": [{"text": "one"}, {"text": "two\nlines"}]}))),
        ("mcp-memory-service", text("Found 2:\n\n1. one\n   Hash: a\n\n2. two\nlines\n   Hash: b\n")),
    ],
)
def test_what_each_system_found_is_read_from_its_answer(name, answer):
    assert SAID[name].found(answer) == ["one", "two\nlines"]


class Fake:
    """A server that finds what it was told to store, the last first."""

    pid = 0
    started = 0.0

    def __init__(self):
        self.kept = []

    def __enter__(self):
        return self

    def __exit__(self, *left):
        return None

    def ask(self, method):
        assert method == "tools/list"
        return json.dumps({"result": {"tools": [{"name": "keep"}]}}).encode()

    def answer(self, tool, arguments):
        if tool == "keep":
            self.kept.insert(0, arguments["text"])
        return {"found": self.kept}


def fake(start):
    return Peer(
        "fake", start, lambda t: ("keep", {"text": t}), lambda q: ("find", {"q": q}), lambda answer: answer["found"]
    )


def test_a_system_is_timed_and_its_answers_scored(data):
    from bench.data import locomo

    talk = locomo(data)[0]

    found = measured(fake(lambda _: Fake()), ["one"], ["which?"], talk, talk.cases[:1])

    assert {name: found[name] for name in ("memories", "tools", "any@5", "any@10", "n")} == {
        "memories": 1,
        "tools": 1,
        "any@5": 1.0,
        "any@10": 1.0,
        "n": 1,
    }


def test_a_system_that_cannot_be_had_is_left_out_with_the_reason(data, capsys):
    from bench.data import locomo

    def start(_):
        raise NotInstalled("pip could not install fake==1")

    found = measured(fake(start), ["one"], ["which?"], locomo(data)[0], [])

    assert found == {"left_out": "pip could not install fake==1"}
    assert "fake is left out: pip could not install fake==1" in capsys.readouterr().err
    assert tables({"fake": found})[0].rows == (("left_out", "pip could not install fake==1"),)


def test_what_is_installed_is_not_installed_again(tmp_path):
    (tmp_path / "installed.txt").write_text("fake==1", "utf-8")

    assert installed("fake==1", tmp_path).parent == tmp_path


def test_the_model_is_laid_as_its_publishers_gave_it(tmp_path):
    onnx = pytest.importorskip("onnx")

    lay_model(tmp_path / "model")

    graph = onnx.load(tmp_path / "model/model.onnx").graph
    assert [i.name for i in graph.input] == ["input_ids", "attention_mask", "token_type_ids"]
    assert [o.name for o in graph.output] == ["last_hidden_state"]
    assert (tmp_path / "model/vocab.txt").read_text("utf-8").startswith("[PAD]\n")
