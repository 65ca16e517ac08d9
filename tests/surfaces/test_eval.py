"""`bethink eval` and `bethink calibrate`: files that are kept whole, exit codes for CI, and bars at a terminal."""

import json
import os
import subprocess
import sys

import pytest

from bethink.surfaces.cli import main

from .conftest import command, environment, options

pytestmark = pytest.mark.usefixtures("bare")

TEXTS = (
    "The red crane stands at the old pier since last winter.",
    "Deploys of the web shop leave the build server on Tuesdays.",
    "Ann likes tabs and hates spaces in every Python module.",
)
QUESTIONS = [
    {"question": "where is the red crane?", "phrases": ["crane stands"]},
    {"question": "when do deploys leave?", "phrases": ["Tuesdays"]},
    {"question": "what does Ann like?", "phrases": ["tabs"]},
    {"question": "which mosses grow on Faroese roofs?", "unanswerable": "off_topic"},
]


@pytest.fixture
def bethink(bare, capsys):  # noqa: ARG001  # it enters the folder
    """Run one command in a folder of its own; return exit code, output and errors."""

    def run(*arguments):
        code = main([*options("store.db"), *map(str, arguments)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def golden(bethink, tmp_path):
    """A golden set over a store that answers all of it."""
    for text in TEXTS:
        bethink("store", text)
    file = tmp_path / "golden.json"
    file.write_text(json.dumps({"questions": QUESTIONS}), encoding="utf-8")
    return file


def test_the_figures_are_printed_with_what_they_mean(bethink, golden):
    code, out, err = bethink("eval", golden)

    assert (code, err) == (0, "")
    for said in ("asked: 3 answerable, 1 off topic", "hit@1", "1.000", "an answer comes first", "calibration error"):
        assert said in out


def test_a_miss_is_told_with_what_came_instead(bethink, golden):
    golden.write_text(json.dumps([{"question": "red crane", "phrases": ["blue"]}]), encoding="utf-8")

    _, out, _ = bethink("eval", golden)

    assert "missed: 1" in out
    assert "The red crane stands at the old pier" in out


@pytest.mark.failure("F253")
def test_a_figure_that_falls_short_is_exit_code_7_and_says_which(bethink, golden):
    golden.write_text(json.dumps([*QUESTIONS, {"question": "tabs", "phrases": ["spades"]}]), encoding="utf-8")

    well, _, _ = bethink("eval", golden, "--fail-under", "hit@5=0.7", "--fail-under", "off_topic_refused=1")
    short, out, _ = bethink("eval", golden, "--fail-under", "hit@5=0.9")
    unmeasured, told, _ = bethink("eval", golden, "--fail-under", "near_refused=0.1")

    assert (well, short, unmeasured) == (0, 7, 7)
    assert "fell short: hit@5 is 0.750, under 0.9" in out
    assert "near_refused is not measured" in told


@pytest.mark.failure("F253")
def test_a_run_is_kept_and_a_worse_one_is_told_from_noise(bethink, golden):
    many = [{"question": f"crane {n}", "phrases": ["crane"]} for n in range(12)]
    golden.write_text(json.dumps(many), encoding="utf-8")
    bethink("eval", golden, "--save", "run.json")

    same, out, _ = bethink("eval", golden, "--diff", "run.json", "--fail-on-regression")
    handle = json.loads(bethink("recall", "red crane", "--json")[1])["hits"][0]["handle"]
    bethink("forget", handle)
    worse, told, _ = bethink("eval", golden, "--diff", "run.json", "--fail-on-regression")
    noted, _, _ = bethink("eval", golden, "--diff", "run.json")

    assert (same, worse, noted) == (0, 7, 0)
    assert "within noise" not in out
    assert "fell short: hit@1 is worse than before" in told
    assert "#1 before, missed now: crane 0" in told


def test_json_is_the_whole_result_and_nothing_else(bethink, golden):
    bethink("eval", golden, "--save", "run.json")

    code, out, err = bethink("eval", golden, "--diff", "run.json", "--json")

    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told["figures"]["hit@1"] == 1.0
    assert [one["verdict"] for one in told["diff"]["measures"]] == ["same"] * len(told["diff"]["measures"])
    assert len(told["outcomes"]) == 4


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "GOLDEN.json is missing"),
        (("nowhere.json",), 3, "there is no file"),
        (("broken.json",), 2, "is not JSON"),
        (("text.json",), 2, "holds neither questions nor a list"),
        (("wrong.json",), 2, "wrong.json: questions.0: it has no answer"),
        (("golden.json", "--fail-under", "hits=1"), 2, "'hits' is not measured"),
        (("golden.json", "--fail-under", "hit@1"), 2, "'' is not a share"),
        (("golden.json", "--fail-under", "hit@1=nan"), 2, "'nan' is not a share"),
        (("golden.json", "--fail-on-regression"), 2, "goes with --diff"),
        (("golden.json", "--diff", "golden.json"), 2, "is not a saved run"),
        (("golden.json", "--save", "golden.json"), 4, "holds something else than a saved run"),
        (("golden.json", "--save", "nowhere/run.json"), 3, "there is no folder"),
        (("golden.json", "--out", "x.json"), 2, "--out goes with --generate"),
        (("golden.json", "--generate", "3"), 2, "makes questions and asks none"),
        (("--generate", "3", "-o", "golden.json"), 4, "exists already"),
        (("--generate", "0"), 2, "0 is not in the range"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_asked_and_no_file_is_touched(bethink, golden, arguments, code, said):
    for name, text in (("broken.json", "{"), ("text.json", '"x"'), ("wrong.json", '[{"question": "x"}]')):
        (golden.parent / name).write_text(text, encoding="utf-8")
    before = {file.name: file.read_bytes() for file in golden.parent.glob("*.json")}

    exited, out, err = bethink("eval", *arguments)

    assert (exited, out) == (code, "")
    assert said in err
    assert "hint: " in err
    assert {file.name: file.read_bytes() for file in golden.parent.glob("*.json")} == before


def test_questions_are_made_from_the_store_and_asked_as_what_they_are(bethink, golden):
    made, said, _ = bethink("eval", "--generate", 3, "-o", "made.json")
    _, out, _ = bethink("eval", "made.json")
    _, again, _ = bethink("eval", "--generate", 3)

    assert (made, "3 questions with an answer" in said) == (0, True)
    assert "keyword overlap: these questions repeat their answers" in out
    assert json.loads(again) == json.loads((golden.parent / "made.json").read_text("utf-8"))


def test_nothing_that_is_asked_counts_as_read(bethink, golden):
    bethink("eval", golden)

    listed = json.loads(bethink("list", "--detail", "full", "--json")[1])["memories"]
    assert [one["memory"]["access_count"] for one in listed] == [0, 0, 0]


# Calibration.


def test_a_calibration_shows_what_it_measured_and_how_to_undo_what_it_kept(bethink, tmp_path):
    lines = (f"The lamp {n:03} of row {n * 7} was lit by keeper k{n:03} at hour h{n * 3}." for n in range(60))
    items = tmp_path / "items.jsonl"
    items.write_text("".join(json.dumps({"content": line}) + "\n" for line in lines), encoding="utf-8")
    bethink("import", items)

    dry, out, _ = bethink("calibrate")
    kept, told, _ = bethink("calibrate", "--apply")
    undone, _, _ = bethink(*told[told.index("namespaces update") :].split())

    assert (dry, kept, undone) == (0, 0, 0)
    assert "nothing was changed; --apply keeps it" in out
    assert "floor" in out
    assert "floor" not in json.loads(bethink("namespaces", "--json")[1])["namespaces"][0]


def test_questions_made_from_the_store_calibrate_nothing(bethink, tmp_path):
    made = tmp_path / "made.json"
    made.write_text('{"overlap": true, "questions": [{"question": "red crane", "phrases": ["red crane"]}]}')

    code, _, err = bethink("calibrate", str(made))

    assert code == 2
    assert "repeat their answers" in err


def test_a_store_of_little_is_not_calibrated(bethink, golden):
    code, _, err = bethink("calibrate")
    few, _, told = bethink("calibrate", golden)

    assert (code, few) == (2, 2)
    assert "a floor needs 30 phrases that one memory alone holds; here are 3" in err
    assert "a floor needs 30 golden questions whose answer is found; here are 3" in told


# Bars.


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.usefixtures("golden")
@pytest.mark.parametrize(("variables", "drawn"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_score_is_drawn_as_bars_at_a_terminal_alone(tmp_path, variables, drawn):
    import pty

    terminal, inside = pty.openpty()
    asked = command("store.db", "recall", "red crane", "--explain")
    with subprocess.Popen(
        asked, stdout=inside, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=tmp_path,
        env=environment(tmp_path, TERM="xterm", **variables),
    ) as running:  # fmt: skip
        os.close(inside)
        out = b"".join(iter(lambda: _read(terminal), b"")).decode()
        assert running.wait(timeout=60) == 0
    os.close(terminal)

    assert ("█" in out) == drawn
    assert "keyword" in out


@pytest.mark.usefixtures("golden")
def test_a_pipe_gets_the_sum_in_one_line(bethink):
    _, out, _ = bethink("recall", "red crane", "--explain")

    assert "█" not in out
    assert "= keyword" in out
    assert "answers with a chance of" in " ".join(out.split())  # wherever the line is broken
    assert "speaker" not in out  # what adds nothing is left out
    assert "considered: " in out


def _read(terminal):
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the other end is closed
        return b""
