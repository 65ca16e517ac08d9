"""`bethink import`: an account of everything, nothing twice, and a run that is stopped goes on."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from bethink.surfaces.cli import main

from .conftest import command, options

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture
def bethink(capsys):
    """Run one command with --json in a folder of its own; return exit code and answer."""

    def run(*arguments):
        code = main([*options("store.db"), "--json", *arguments])
        return code, json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "guide.md").write_text("# Guide\n\nHow it starts.\n\n## Deploy\n\nOn Tuesdays.\n")
    (folder / "note.txt").write_text("Ann has the key.")
    (folder / "photo.png").write_bytes(b"\x89PNG")
    return folder


@pytest.mark.usefixtures("notes")
def test_files_become_memories_with_title_tags_and_source(bethink):
    code, report = bethink("import", "notes", "--tag", "a,b", "--kind", "workflow")

    _, listed = bethink("list", "--detail", "full", "--sort", "title")
    memories = [entry["memory"] for entry in listed["memories"]]
    assert code == 0
    assert report == {
        "files": 2, "memories": 3, "stored": 3, "known": 0, "cleaned": 0, "redacted": 0, "without_vectors": 3,
        "rejected": 0, "rejections": [], "left_aside": {"files of other sorts": 1}, "interrupted": False,
    }  # fmt: skip
    assert sorted((m["title"], m["source"]["path"]) for m in memories) == [
        ("Ann has the key", "note.txt"),
        ("Guide", "guide.md"),
        ("Guide > Deploy", "guide.md"),
    ]
    assert {(m["kind"], m["origin"], *m["tags"]) for m in memories} == {("workflow", "imported", "a", "b")}


@pytest.mark.usefixtures("notes")
def test_the_same_import_again_stores_nothing_twice(bethink):
    bethink("import", "notes")

    code, report = bethink("import", "notes")

    assert (code, report["stored"], report["known"]) == (0, 0, 3)
    assert bethink("list")[1]["total"] == 3


def test_what_is_rejected_is_named_by_file_and_line_and_the_rest_is_stored(bethink, notes):
    lines = [
        '{"content": "good"}',
        "{bad",
        '{"content": "x", "kind": "thought"}',
        '{"title": "no content"}',
        '{"contnt": "x"}',
    ]
    (notes / "more.jsonl").write_text("\n".join(lines))
    (notes / "binary.md").write_bytes(b"\0\0")

    code, report = bethink("import", "notes")

    rejections = [
        (r["path"].rpartition("/")[2], r.get("line"), r["reason"].split(":")[0]) for r in report["rejections"]
    ]
    assert (code, report["stored"], report["rejected"]) == (1, 4, 5)
    assert sorted(rejections, key=str) == [
        ("binary.md", None, "not text"),
        ("more.jsonl", 2, "not JSON"),
        ("more.jsonl", 3, "kind"),
        ("more.jsonl", 4, "content is required"),
        ("more.jsonl", 5, "'contnt' is not a parameter"),
    ]
    hints = {r.get("line"): r.get("hint") for r in report["rejections"]}
    assert hints[5].startswith("Did you mean 'content'? Accepted: content, title")


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
@pytest.mark.parametrize("named", ["empty", "photos", "nothing.md", "blank.md"])
def test_an_import_that_finds_nothing_fails_and_says_what_is_there(bethink, tmp_path, capsys, named, dry):
    for folder in ("empty", "photos"):
        (tmp_path / folder).mkdir()
    (tmp_path / "photos" / "a.png").write_bytes(b"\x89PNG")
    (tmp_path / "nothing.md").touch()
    (tmp_path / "blank.md").write_text("\n\n")

    code, report = bethink("import", named, *dry)
    told = main([*options("store.db"), "import", named, *dry])

    assert (code, told, report["memories"]) == (1, 1, 0)
    assert report["left_aside"] == {
        "photos": {"files of other sorts": 1}, "nothing.md": {"empty files": 1},
        "blank.md": {"files that hold no text": 1},
    }.get(named, {})  # fmt: skip
    assert "nothing was found" in capsys.readouterr().out


def test_an_import_of_no_file_makes_no_store(bethink, tmp_path):
    (tmp_path / "empty").mkdir()

    bethink("import", "empty")

    assert not (tmp_path / "store.db").exists()


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--kind", "nope"], "kind: 'nope' is not accepted"),
        (["--tags", "t" * 65], "tags.0: 65 is over the limit of 64"),
        (["--tag", ",".join(map(str, range(65)))], "tags: 65 is over the limit of 64"),
    ],
)
@pytest.mark.usefixtures("notes")
def test_what_no_memory_may_have_is_refused_before_anything_is_read(bethink, tmp_path, given, said, dry):
    code, answer = bethink("import", "notes", *given, *dry)

    assert (code, answer["error"]["message"]) == (2, said)
    assert not (tmp_path / "store.db").exists()


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_front_matter_that_is_not_understood_is_kept_and_its_file_named(bethink, tmp_path, capsys, dry):
    (tmp_path / "broken.md").write_text('---\ntitle: "Deploys\ntags: [ops\n---\nOn Tuesdays.')
    (tmp_path / "fine.md").write_text("---\ntitle: Ann\n---\nShe has the key.")

    code, report = bethink("import", "broken.md", "fine.md", *dry)
    main([*options("other.db"), "import", "broken.md", *dry])

    assert code == 0
    assert [path.rpartition("/")[2] for path in report["unread_front_matter"]] == ["broken.md"]
    assert "front matter kept in the metadata as it is" in capsys.readouterr().out
    if not dry:
        listed = bethink("list", "--detail", "full")[1]["memories"]
        kept = {e["memory"]["content"]: e["memory"].get("metadata") for e in listed}
        assert kept["On Tuesdays."] == {"front_matter": 'title: "Deploys\ntags: [ops'}


def test_bytes_that_cannot_be_stored_are_replaced_and_counted(bethink, tmp_path):
    (tmp_path / "a.md").write_bytes(b"# Caf\xe9\n\nau lait")
    (tmp_path / "b.jsonl").write_text('{"content": "half \\ud800 pair", "metadata": {"k": "\\u0000"}}')

    code, report = bethink("import", "a.md", "b.jsonl")

    assert (code, report["stored"], report["cleaned"]) == (0, 2, 2)
    assert "Caf\ufffd" in {entry["title"] for entry in bethink("list")[1]["memories"]}


def test_credentials_are_taken_out_and_counted(bethink, tmp_path):
    (tmp_path / "a.md").write_text("key: AKIAIOSFODNN7EXAMPLQ and text")

    assert bethink("import", "a.md")[1]["redacted"] == 1


@pytest.mark.usefixtures("notes")
def test_a_dry_run_shows_what_would_be_stored_and_stores_nothing(bethink):
    code, report = bethink("import", "notes", "--dry-run")

    assert code == 0
    assert [(p["title"], p["line"]) for p in report["planned"] if "title" in p] == [("Guide", 3), ("Guide > Deploy", 7)]
    assert bethink("list")[1]["error"]["code"] == "not_found"


def test_a_dry_run_finds_what_would_be_rejected(bethink, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"content": "x", "occurred_at": "last Blursday"}\n{"content": "y"}\n')

    code, report = bethink("import", "a.jsonl", "--dry-run")

    assert code == 1
    assert [(r["line"], "occurred_at" in r["reason"]) for r in report["rejections"]] == [(1, True)]
    assert len(report["planned"]) == 1


def test_people_get_a_table_the_reasons_and_each_hint_once(notes, capsys):
    (notes / "more.jsonl").write_text('{bad\n{"contents": "x"}\n{"contents": "y"}')

    code = main([*options("store.db"), "import", "notes"])

    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert code == 1
    assert {"3 files read", "3 stored", "3 rejected", "1 left aside: files of other sorts"} <= set(lines)
    assert "more.jsonl:1: not JSON" in "".join(lines)
    assert "".join(lines).count("Did you mean 'content'?") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.usefixtures("interruptible")
def test_an_import_that_is_interrupted_keeps_what_it_said_and_goes_on_when_run_again(bethink, tmp_path):
    import pty

    total = 5_000
    lines = "\n".join(json.dumps({"content": f"memory number {n} of many"}) for n in range(total))
    (tmp_path / "many.jsonl").write_text(lines)
    terminal, stderr = pty.openpty()
    importer = command("store.db", "--json", "import", "many.jsonl")

    with subprocess.Popen(importer, stdout=subprocess.PIPE, stderr=stderr, cwd=tmp_path) as importing:
        os.close(stderr)
        shown = b""
        while b"memories," not in shown:
            shown += os.read(terminal, 4096)
        importing.send_signal(signal.SIGINT)
        out = importing.stdout.read()
    os.close(terminal)

    report = json.loads(out)
    with closing(sqlite3.connect(tmp_path / "store.db")) as store:
        assert store.execute("pragma integrity_check").fetchone() == ("ok",)
    _, before = bethink("list")
    code, again = bethink("import", "many.jsonl")
    assert importing.returncode == 130
    assert report["interrupted"]
    assert 0 < report["memories"] <= before["total"] < total
    assert (code, again["known"], again["stored"]) == (0, before["total"], total - before["total"])
