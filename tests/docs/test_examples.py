"""What the documentation shows can be done as shown."""

import json
import re
import shlex
from pathlib import Path

import pytest

from bethink.surfaces.cli import COMMANDS, bethink

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs/quickstart.md"]


def _blocks(language: str) -> list:
    found = []
    for page in PAGES:
        blocks = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        found += [pytest.param(block, id=f"{page.stem}-{number}") for number, block in enumerate(blocks, 1)]
    return found


def _calls() -> list[list[str]]:
    lines = [line for block in _blocks("sh") for line in block.values[0].splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("bethink ")]


@pytest.mark.parametrize("block", _blocks("python"))
def test_python_runs_and_answers(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    exec(compile(block, "example", "exec"), {"__name__": "example"})

    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("block", _blocks("json"))
def test_client_configuration_is_json_that_starts_bethink(block):
    servers = next(iter(json.loads(block).values()))

    assert (servers["bethink"]["command"], servers["bethink"]["args"]) == ("uvx", ["bethink"])


@pytest.mark.parametrize("arguments", _calls(), ids=shlex.join)
def test_commands_have_the_options_that_are_shown(arguments):
    at = next((place for place, word in enumerate(arguments) if word in COMMANDS), len(arguments))
    group = bethink.make_context("bethink", arguments[:at] or ["--json"])

    if at < len(arguments):
        command = bethink.get_command(group, arguments[at])
        assert command.make_context(arguments[at], arguments[at + 1 :], parent=group)
