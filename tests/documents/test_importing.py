"""One run over files: what is yielded, from where, and what is refused."""

import json

from bethink.documents.files import Refusal, find
from bethink.documents.importing import Import


def run_over(folder, **how):
    run = Import(find([folder]), **how)
    return run, list(run.items())


def test_a_memory_names_its_file_and_the_parts_of_one_file_are_a_thread(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_text("# One\nx\n# Two\ny")
    folder = tmp_path.resolve().as_posix()

    run, items = run_over(tmp_path)

    source = {"type": "file", "path": "sub/a.md", "folder": folder, "thread": f"{folder}/sub/a.md"}
    assert items == [
        {"content": "x", "title": "One", "source": source},
        {"content": "y", "title": "Two", "source": source},
    ]
    assert [run.place(n) for n in range(run.count)] == [(f"{folder}/sub/a.md", 2), (f"{folder}/sub/a.md", 4)]
    assert (run.files_read, run.bytes_read) == (1, run.found.size)


def test_a_memory_of_a_file_does_not_tell_whose_home_it_lay_in(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path.resolve()))
    monkeypatch.setenv("USERPROFILE", str(tmp_path.resolve()))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("One.")

    _, (item,) = run_over(tmp_path / "notes")

    assert item["source"] == {"type": "file", "path": "a.md", "folder": "~/notes", "thread": "~/notes/a.md"}


def test_json_lines_keep_their_fields_and_bad_lines_are_refused_by_number(tmp_path):
    lines = [
        '{"content": "good", "kind": "decision"}',
        "",
        '{"content": "cut off',
        '["no object"]',
        '{"content": "sourced", "source": {"type": "chat"}}',
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    folder = tmp_path.resolve().as_posix()

    run, items = run_over(tmp_path)

    file = {"type": "file", "path": "a.jsonl", "folder": folder}
    assert items == [
        {"content": "good", "kind": "decision", "source": file},
        {"content": "sourced", "source": {"type": "chat"}},
    ]
    assert [run.place(n)[1] for n in range(run.count)] == [1, 5]
    assert [(refusal.line, refusal.reason.split(":")[0]) for refusal in run.refused] == [
        (3, "not JSON"),
        (4, "an object is expected, not list"),
    ]
    assert run.bytes_read == run.found.size


def test_a_kind_is_for_memories_without_one_and_tags_are_for_all(tmp_path):
    lines = [
        {"content": "a", "kind": "bug", "tags": ["x"]},
        {"content": "b", "tags": "y, z"},
        {"content": "c", "tags": 7},
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))

    _, items = run_over(tmp_path, kind="decision", tags=["all"])

    assert [(item["kind"], item["tags"]) for item in items] == [
        ("bug", ["x", "all"]),
        ("decision", ["y", "z", "all"]),
        ("decision", 7),
    ]


def test_a_file_that_is_not_text_or_has_gone_is_refused_and_the_rest_goes_on(tmp_path):
    (tmp_path / "a.md").write_bytes(b"\x00\x01")
    (tmp_path / "b.md").write_text("gone")
    (tmp_path / "c.md").write_text("here")
    run = Import(find([tmp_path]))
    (tmp_path / "b.md").unlink()

    items = list(run.items())

    folder = tmp_path.resolve().as_posix()
    assert [item["content"] for item in items] == ["here"]
    assert run.refused == [
        Refusal(f"{folder}/a.md", "not text"),
        Refusal(f"{folder}/b.md", "No such file or directory"),
    ]


def test_a_line_that_is_too_long_is_refused_and_the_next_is_read(tmp_path):
    with (tmp_path / "a.jsonl").open("wb") as file:
        file.write(b'{"content": "' + b"x" * 17_000_000 + b'"}\n{"content": "next"}\n')

    run, items = run_over(tmp_path)

    assert [item["content"] for item in items] == ["next"]
    assert [(refusal.line, refusal.reason) for refusal in run.refused] == [
        (1, "the line is over the limit of 8,000,000 bytes")
    ]
    assert run.bytes_read == run.found.size


def test_nothing_is_read_before_it_is_asked_for(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.md").write_text(name)
    run = Import(find([tmp_path]))

    first = next(run.items())

    assert (first["content"], run.bytes_read) == ("a", 0)
