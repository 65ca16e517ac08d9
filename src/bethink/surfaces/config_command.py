"""`bethink config`: every setting, its value, and where that came from."""

from __future__ import annotations

from contextlib import suppress

import click

from bethink.errors import InvalidRequest
from bethink.settings import SETTINGS, Settings, Value, config_file, project_file, read_settings

from .session import Command, Session, Unwritten, delivering, print_json


@click.command("config", cls=Command)
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
@click.pass_obj
def command(session: Session, *, as_json: bool) -> int:
    """Print every setting with its value and where it came from: a flag, the environment, a file or the default."""
    from pathlib import Path

    session = session.answering(as_json=as_json)
    try:
        settings = read_settings(flags=session.flags)
    except InvalidRequest:
        if not session.as_json:
            with suppress(Unwritten), delivering():  # what is told is the setting that is wrong
                _print(Settings({s.name: Value("", f"set by {s.variable}") for s in SETTINGS}), {})
        raise
    project = project_file(Path.cwd())
    places = {"store": str(settings.db), "exports": str(settings.exports), "config_file": str(config_file())}
    places |= {"project_file": str(project)} if project else {}
    with delivering():
        if session.as_json:
            listed = [
                {
                    "name": s.name,
                    "value": settings[s.name],
                    "origin": settings.values[s.name].origin,
                    "variable": s.variable,
                }
                for s in SETTINGS
            ]
            print_json({"settings": listed, "places": places})
        else:
            _print(settings, places)
    return 0


def _print(settings: Settings, places: dict[str, str]) -> None:
    from .screen import console, table

    rows = [(s.name, settings[s.name], settings.values[s.name].origin, s.meaning) for s in SETTINGS]
    printed = console()
    printed.print(table("setting", "value", "from", "meaning", rows=rows))
    printed.print()
    printed.print(table("place", "", rows=[(name.replace("_", " "), path) for name, path in places.items()]))
