"""What can be configured, where each value came from, and what is refused. Read by `app` and the command line alone."""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import platformdirs

from .errors import InvalidRequest

PREFIX: Final = "BETHINK_"
_OF_BENCHMARKS: Final = PREFIX + "BENCH_"  # they read these variables themselves
_MOST_DAYS: Final = 36_500
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
    Setting(
        "embedder",
        "minilm, none, hub:ORG/NAME[@REVISION], tei:URL, or openai:, ollama: or google:MODEL[@URL]",
        "minilm",
    ),
    Setting("reranker", "none, hub:ORG/NAME[@REVISION], tei:URL or cohere:MODEL[@URL]", "none"),
    Setting("models", "folder of the models that are fetched from the hub; empty: models in the user's data folder"),
    Setting("agent", "name of the writing agent; empty: the MCP client's name"),
    Setting("timezone", "zone of dates and naive times; empty: the system's"),
    Setting("secrets", "what is done with credentials in texts", "redact", ("redact", "refuse", "allow")),
    Setting("synchronous", "full: a power cut loses nothing acknowledged; normal: faster", "full", ("full", "normal")),
    Setting("busy_timeout", "seconds a write waits for another process", "30"),
    Setting("log_days", "days for which what recall showed, and what found nothing, is kept in detail", "90"),
    Setting("exports", "folder for the exports made before erasing; empty: exports beside the store"),
    Setting("log", "LEVEL or LEVEL:FILE", "warning"),
)
# A project file may come with a repository that somebody else wrote: it may say nothing that could do harm.
OF_PROJECTS: Final = ("namespace", "tools", "timezone")
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
        return path_of("db", self["db"]) if self["db"] else data_folder() / "memories.db"

    @property
    def exports(self) -> Path:
        """The folder for exports before erasing."""
        return path_of("exports", self["exports"]) if self["exports"] else self.db.parent / "exports"

    @property
    def models(self) -> Path:
        """The folder of fetched models."""
        return path_of("models", self["models"]) if self["models"] else models_folder()

    @property
    def timezone(self) -> ZoneInfo:
        """The zone in which dates and naive times are read."""
        name = self["timezone"]
        return zone_of(name) if name else system_zone(os.environ.get("TZ", ""))

    @property
    def log_days(self) -> int:
        """For how many days the logs of reads are kept."""
        text = self["log_days"]
        days = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(_MOST_DAYS)) else 0
        if not 1 <= days <= _MOST_DAYS:
            raise InvalidRequest(
                f"log_days: {text!r} is not a number of days",
                hint=f"Give whole days from 1 to {_MOST_DAYS}, such as 90.",
            )
        return days

    @property
    def busy_seconds(self) -> float:
        """How long a write waits for another process."""
        try:
            seconds = float(self["busy_timeout"])
        except ValueError:
            seconds = math.nan
        if not math.isfinite(seconds) or seconds < 0:
            raise InvalidRequest(
                f"busy_timeout: {self['busy_timeout']!r} is not a number of seconds", hint="Give seconds, such as 30."
            )
        return seconds


def data_folder() -> Path:
    """Return the user's data folder for Bethink."""
    return Path(platformdirs.user_data_dir("bethink", appauthor=False))


def models_folder() -> Path:
    """Return the folder in which the user's fetched models are kept."""
    return data_folder() / "models"


def config_file() -> Path:
    """Return the user's configuration file, whether or not it exists."""
    return Path(platformdirs.user_config_dir("bethink", appauthor=False)) / "config.toml"


def read_settings(
    *, flags: Mapping[str, str] | None = None, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Settings:
    """Gather settings: flags over environment over the nearest `.bethink.toml` over the user's file over defaults."""
    environment = os.environ if environment is None else environment
    values = {s.name: Value(s.default, "default") for s in SETTINGS}
    if _is_file(own := config_file()):
        values |= _from_file(own)
    if project := project_file(folder or Path.cwd()):
        values |= _from_project(project)
    values |= {name: Value(text, PREFIX + name.upper()) for name, text in _from_environment(environment).items()}
    values |= {name: Value(text, "flag") for name, text in (flags or {}).items()}
    for name, value in values.items():
        _check(_BY_NAME[name], value)
    if values["namespace"].origin == "flag" and (principal := values["principal"]).text:
        raise InvalidRequest(
            f"--namespace does not go with a principal, which {principal.origin} sets",
            hint="A confined process writes to its place.",
        )
    return Settings(values)


def project_file(folder: Path) -> Path | None:
    """Return the nearest `.bethink.toml` at or above `folder`."""
    return next((f / PROJECT_FILE for f in (folder, *folder.parents) if _is_file(f / PROJECT_FILE)), None)


def path_of(name: str, text: str | Path) -> Path:
    """Return the path that was given as `name`, with `~` for the user's home; refuse a text that can be no path."""
    try:
        path = Path(text).expanduser()
        os.fsencode(path)
    except RuntimeError as wrong:  # what pathlib says of a `~user`
        raise InvalidRequest(
            f"{name}: {str(text)!r} is in the home of no user here", hint="Write it in full."
        ) from wrong
    except UnicodeEncodeError as wrong:
        raise _no_path(name, text, f"U+{ord(str(path)[wrong.start]):04X}") from wrong
    if "\0" in str(path):
        raise _no_path(name, text, "a NUL character")
    return path


def is_missing(path: Path) -> bool:
    """Say whether nothing is at `path`; where that cannot be known it is not, and whoever opens it says why."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def zone_of(name: str) -> ZoneInfo:
    """Return the zone of an IANA name."""
    if (zone := _zone(name)) is None:
        raise InvalidRequest(f"{name!r} is not a time zone", hint="Use a name such as Europe/Paris or UTC.")
    return zone


def system_zone(variable: str, etc: Path = Path("/etc")) -> ZoneInfo:
    """Return the zone that $TZ names where it names one, else the system's, else UTC."""
    names = (variable.removeprefix(":"), *_system_zones(etc))
    return next((zone for name in names if name and (zone := _zone(name))), ZoneInfo("UTC"))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # it is in a folder that may not be entered: reading it says so
        return True


def _no_path(name: str, text: str | Path, holds: str) -> InvalidRequest:
    return InvalidRequest(f"{name}: {str(text)!r} holds {holds}, which no path can", hint="Correct the path.")


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for variable, text in environment.items():
        if variable.startswith(PREFIX) and not variable.startswith(_OF_BENCHMARKS):
            name = variable.removeprefix(PREFIX).lower()
            if name not in _BY_NAME:
                raise _unknown(variable, [s.variable for s in SETTINGS])
            found[name] = text
    return found


def _from_project(file: Path) -> dict[str, Value]:
    found = _from_file(file)
    if refused := [name for name in found if name not in OF_PROJECTS]:
        variables = ", ".join(_BY_NAME[name].variable for name in refused)
        raise InvalidRequest(
            f"{', '.join(refused)} cannot be set in {file}, which sets only {', '.join(OF_PROJECTS)}",
            hint=f"Put it in {config_file()} or set {variables}.",
        )
    return found


def _from_file(file: Path) -> dict[str, Value]:
    try:
        table: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise InvalidRequest(f"{file.name} cannot be read: {wrong}", hint="Correct it; it was not changed.") from wrong
    for name, value in table.items():
        if name not in _BY_NAME:
            raise _unknown(name, list(_BY_NAME))
        if isinstance(value, dict | list):
            raise InvalidRequest(f"{name} in {file.name} is not a text or number", hint='Write name = "value".')
    return {name: Value(str(value), str(file)) for name, value in table.items()}


def _unknown(name: str, known: list[str]) -> InvalidRequest:
    # What all variables begin with would make each of them near to any other.
    bare = {other.removeprefix(PREFIX): other for other in known}
    near = difflib.get_close_matches(name.removeprefix(PREFIX), bare, n=1)
    hint = f"Did you mean {bare[near[0]]}? " if near else ""
    return InvalidRequest(f"{name} is not a setting", hint=f"{hint}`bethink config` lists every setting.")


def _check(setting: Setting, value: Value) -> None:
    if setting.choices and value.text not in setting.choices:
        raise InvalidRequest(
            f"{setting.name}: {value.text!r} is not accepted ({value.origin})",
            hint=f"Use {', '.join(setting.choices)}.",
        )


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder of zones, such as Europe
        return None


def _system_zones(etc: Path) -> Iterator[str]:
    try:
        yield str((etc / "localtime").resolve()).partition("/zoneinfo/")[2]
        yield (etc / "timezone").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return
