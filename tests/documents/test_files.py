"""Which files an import reads, and what is said of the others."""

import os
import sys
from pathlib import Path

import pytest

from bethink.documents.files import LARGEST, File, Refusal, find, read_text
from bethink.errors import NotFound


def written(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def read(path):
    return read_text(File(path, path.parent, path.stat().st_size))


def test_a_folder_is_read_recursively_and_in_order(tmp_path):
    written(tmp_path, b_dot_md="b", a_dot_txt="a", sub__c_dot_jsonl="{}", sub__d_dot_markdown="d")

    assert [file.name for file in find([tmp_path]).files] == ["a.txt", "b.md", "sub/c.jsonl", "sub/d.markdown"]


def test_hidden_package_and_other_files_are_left_aside_and_counted(tmp_path):
    written(tmp_path, _dot_git__config_dot_md="x", node_modules__x__README_dot_md="x", _dot_env_dot_md="x")
    written(tmp_path, photo_dot_png=b"\x89PNG", code_dot_py="x", empty_dot_md="", kept_dot_md="x")

    found = find([tmp_path])

    assert [file.name for file in found.files] == ["kept.md"]
    assert found.refused == []
    assert +found.aside == {
        "folders that are hidden or hold packages": 2,
        "hidden files": 1,
        "files of other sorts": 2,
        "empty files": 1,
    }


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path):
    written(tmp_path, private_dot_md="x", notes__kept_dot_md="x")
    (tmp_path / "notes" / "a.md").symlink_to(tmp_path / "private.md")
    (tmp_path / "notes" / "b.md").symlink_to(tmp_path / "notes" / "kept.md")

    found = find([tmp_path / "notes"])

    assert [file.name for file in found.files] == ["b.md"]
    assert +found.aside == {"links that lead out of the folder": 1}


def test_a_file_that_is_named_itself_is_read_whatever_its_suffix(tmp_path):
    written(tmp_path, NOTES="text")

    assert [file.name for file in find([tmp_path / "NOTES"]).files] == ["NOTES"]


def test_a_file_that_is_given_twice_is_read_once(tmp_path):
    written(tmp_path, sub__a_dot_md="a")

    assert len(find([tmp_path, tmp_path / "sub", tmp_path / "sub" / "a.md"]).files) == 1


def test_a_path_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(NotFound, match="no file or folder"):
        find([tmp_path / "missing.md"])


def test_a_file_that_is_too_large_is_refused_by_name_and_the_rest_is_read(tmp_path):
    written(tmp_path, small_dot_md="x")
    with (tmp_path / "large.md").open("wb") as large:
        large.truncate(LARGEST + 1)

    found = find([tmp_path])

    assert [file.name for file in found.files] == ["small.md"]
    assert found.refused == [
        Refusal((tmp_path.resolve() / "large.md").as_posix(), "20,000,001 bytes is over the limit of 20,000,000")
    ]


def test_a_broken_link_is_refused_and_a_circle_of_folders_ends(tmp_path):
    written(tmp_path, a_dot_md="x")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (tmp_path / "circle").symlink_to(tmp_path, target_is_directory=True)

    found = find([tmp_path])

    assert [file.name for file in found.files] == ["a.md"]
    assert [Path(refusal.path).name for refusal in found.refused] == ["gone.md"]


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="permissions do not bind this user")
def test_a_folder_that_cannot_be_read_is_refused_and_the_rest_is_read(tmp_path):
    written(tmp_path, a_dot_md="x", closed__b_dot_md="x")
    (tmp_path / "closed").chmod(0)

    found = find([tmp_path])

    (tmp_path / "closed").chmod(0o700)
    assert [file.name for file in found.files] == ["a.md"]
    assert [Path(refusal.path).name for refusal in found.refused] == ["closed"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbfmarked\r\nlines\r", "marked\nlines\n"),
        ("wide \u2605".encode("utf-16"), "wide \u2605"),
        (b"\xfe\xff\x00a", "a"),
        (b"caf\xe9", "caf\udce9"),
        (b"\x00\x01\x02", None),
    ],
)
def test_bytes_become_text_without_mark_or_returns_and_binary_is_told_apart(tmp_path, content, text):
    path = tmp_path / "a.txt"
    path.write_bytes(content)

    assert read(path) == text
