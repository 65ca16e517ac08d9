"""The reference on disk is what is declared."""

import json
import re
from pathlib import Path

import pytest

from bethink.engine import Bethink
from bethink.operation import operations
from bethink.settings import SETTINGS
from bethink.surfaces import reference

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / reference.FOLDER
PROSE = [*ROOT.glob("*.md"), *(p for p in (ROOT / "docs").rglob("*.md") if p.parent != FOLDER)]
OPERATIONS = operations(Bethink)


def test_the_reference_is_current():
    assert reference.stale(FOLDER) == [], "run `make docs`"


def test_the_contract_changes_only_on_purpose():
    kept = json.loads((FOLDER / "contract.json").read_text(encoding="utf-8"))

    assert kept == json.loads(reference.contract(OPERATIONS.values())), (
        "callers rely on these names and schemas; if the change is meant, run `make docs` and say so in the commit"
    )


def test_the_contract_does_not_depend_on_the_run():
    assert reference.contract(OPERATIONS.values()) == reference.contract(reversed(OPERATIONS.values()))


def test_every_operation_has_a_page_that_the_index_links():
    index = (FOLDER / "index.md").read_text(encoding="utf-8")

    assert [name for name in OPERATIONS if f"({name}.md)" not in index or not (FOLDER / f"{name}.md").is_file()] == []


def test_a_page_that_differs_is_missing_or_does_not_belong_is_stale(tmp_path):
    reference.write(tmp_path)
    (tmp_path / "recall.md").write_text("by hand", encoding="utf-8")
    (tmp_path / "store.md").unlink()
    (tmp_path / "gone.md").write_text("an operation that is no more", encoding="utf-8")

    assert reference.stale(tmp_path) == ["gone.md", "recall.md", "store.md"]


def test_writing_leaves_nothing_stale(tmp_path):
    (tmp_path / "gone.md").write_text("an operation that is no more", encoding="utf-8")

    reference.write(tmp_path)

    assert reference.stale(tmp_path) == []


def test_check_names_what_is_stale_and_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0
    (tmp_path / reference.FOLDER / "errors.md").unlink()

    assert reference.main(["--check"]) == 1
    assert "docs/reference/errors.md" in capsys.readouterr().err


@pytest.mark.parametrize("page", PROSE, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_prose_names_only_tools_and_settings_that_exist(page):
    text = page.read_text(encoding="utf-8")
    tools = set(re.findall(r"\bmemory_(?!id\b)[a-z_]+[a-z]\b", text)) - {op.tool for op in OPERATIONS.values()}
    settings = set(re.findall(r"\bBETHINK_[A-Z_]+\b", text)) - {s.variable for s in SETTINGS}

    assert (tools, settings) == (set(), set())
