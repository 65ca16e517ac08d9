"""What can be configured, where each value came from, and what is refused. Read by `app` and the command line alone."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import platformdirs

from .errors import InvalidRequest

PREFIX: Final = "BETHINK_"
PROJECT_FILE: Final = ".bethink.toml"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name in a file, what it means, its default; the variable is the name after a prefix."""

    name: str
    meaning: str
    default: str = ""
    choices: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return PREFIX + self.name.upper()


SETTINGS: Final = (
    Setting("db", "path of the store; empty: memories.db in the user's data folder"),
    Setting("namespace", "where the owner writes; empty: the repository, else user:LOGIN"),
    Setting("principal", "confine this process: place=PATH;read=...;write=...;ceiling=...;can=..."),
    Setting("tools", "toolsets shown over MCP: core, full, or a comma list", "core"),
    Setting("embedder", "minilm, none, openai:MODEL[@URL] or ollama:MODEL[@URL]", "minilm"),
    Setting("agent", "name of the writing agent; empty: the MCP client's name"),
    Setting("timezone", "zone of dates and naive times; empty: the system's"),
    Setting("secrets", "what is done with credentials in texts", "redact", ("redact", "refuse", "allow")),
    Setting("synchronous", "full: a power cut loses nothing acknowledged; normal: faster", "full", ("full", "normal")),
    Setting("busy_timeout", "seconds a write waits for another process", "30"),
    Setting("exports", "folder for the exports made before erasing; empty: exports beside the store"),
    Setting("log", "LEVEL or LEVEL:FILE", "warning"),
    Setting("bench_data", "folder of the benchmark data"),
    Setting("bench_cache", "folder where benchmarks keep vectors"),
)
_BY_NAME: Final = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Value:
    """A setting's value and where it came from."""

    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its value; see `SETTINGS` for what each means."""

    values: Mapping[str, Value]

    def __getitem__(self, name: str) -> str:
        """Return a setting's value as text."""
        return self.values[name].text

    @property
    def db(self) -> Path:
        """The path of the store."""
        return Path(self["db"]).expanduser() if self["db"] else data_folder() / "memories.db"

    @property
    def exports(self) -> Path:
        """The folder for exports before erasing."""
        return Path(self["exports"]).expanduser() if self["exports"] else self.db.parent / "exports"

    @property
    def timezone(self) -> ZoneInfo:
        """The zone in which dates and naive times are read."""
        name = self["timezone"] or _system_zone()
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError):
            raise InvalidRequest(
                f"{name!r} is not a time zone", hint="Use a name such as Europe/Paris or UTC."
            ) from None

    @property
    def busy_seconds(self) -> float:
        """How long a write waits for another process."""
        try:
            return float(self["busy_timeout"])
        except ValueError:
            raise InvalidRequest(
                f"busy_timeout: {self['busy_timeout']!r} is not a number", hint="Give seconds, such as 30."
            ) from None


def data_folder() -> Path:
    """Return the user's data folder for Bethink."""
    return Path(platformdirs.user_data_dir("bethink", appauthor=False))


def config_file() -> Path:
    """Return the user's configuration file, whether or not it exists."""
    return Path(platformdirs.user_config_dir("bethink", appauthor=False)) / "config.toml"


def read_settings(
    *, flags: Mapping[str, str] | None = None, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Settings:
    """Gather settings: flags over environment over the nearest `.bethink.toml` over the user's file over defaults."""
    environment = os.environ if environment is None else environment
    values = {s.name: Value(s.default, "default") for s in SETTINGS}
    for file in (config_file(), project_file(folder or Path.cwd())):
        if file is not None and file.is_file():
            values |= {name: Value(text, str(file)) for name, text in _from_file(file).items()}
    values |= {name: Value(text, PREFIX + name.upper()) for name, text in _from_environment(environment).items()}
    values |= {name: Value(text, "flag") for name, text in (flags or {}).items()}
    for name, value in values.items():
        _check(_BY_NAME[name], value)
    return Settings(values)


def project_file(folder: Path) -> Path | None:
    """Return the nearest `.bethink.toml` at or above `folder`."""
    return next((f / PROJECT_FILE for f in (folder, *folder.parents) if (f / PROJECT_FILE).is_file()), None)


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for variable, text in environment.items():
        if variable.startswith(PREFIX):
            name = variable.removeprefix(PREFIX).lower()
            if name not in _BY_NAME:
                raise _unknown(variable, [s.variable for s in SETTINGS])
            found[name] = text
    return found


def _from_file(file: Path) -> dict[str, str]:
    try:
        table: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise InvalidRequest(f"{file.name} cannot be read: {wrong}", hint="Correct it; it was not changed.") from wrong
    for name, value in table.items():
        if name not in _BY_NAME:
            raise _unknown(name, list(_BY_NAME))
        if isinstance(value, dict | list):
            raise InvalidRequest(f"{name} in {file.name} is not a text or number", hint='Write name = "value".')
    return {name: str(value) for name, value in table.items()}


def _unknown(name: str, known: list[str]) -> InvalidRequest:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"Did you mean {near[0]}? " if near else ""
    return InvalidRequest(f"{name} is not a setting", hint=f"{hint}`bethink config` lists every setting.")


def _check(setting: Setting, value: Value) -> None:
    if setting.choices and value.text not in setting.choices:
        raise InvalidRequest(
            f"{setting.name}: {value.text!r} is not accepted ({value.origin})",
            hint=f"Use {', '.join(setting.choices)}.",
        )


def _system_zone() -> str:
    if name := os.environ.get("TZ", "").lstrip(":"):
        return name
    try:
        target = str(Path("/etc/localtime").resolve())
    except OSError:
        return "UTC"
    return target.partition("/zoneinfo/")[2] or "UTC"
