"""What the commands of one run share: the global options, and how a run answers on its streams."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from io import TextIOWrapper
from typing import TYPE_CHECKING, Final, TextIO, TypedDict

import click

from bethink.errors import BethinkError, InvalidRequest

if TYPE_CHECKING:
    from bethink.settings import Settings

# Hints name an operation as agents call it; for a person it is a command.
_TOOL: Final = re.compile(r"\bmemory_(store|recall|get|list|update|forget|restore|stats|namespaces)\b")
_COMMAND: Final = r"`bethink \1`"


class Options(TypedDict):
    """The global options."""

    db: str | None
    namespace: str | None
    embedder: str | None
    reranker: str | None
    place: str | None
    read: Sequence[str]
    write: Sequence[str]
    ceiling: str | None
    can: str | None


@dataclass(frozen=True, slots=True)
class Session:
    """The settings that options gave, and whether answers are JSON."""

    flags: Mapping[str, str]
    as_json: bool = False

    def answering(self, *, as_json: bool) -> Session:
        """Return the session of a command that was itself asked for JSON or not."""
        return replace(self, as_json=self.as_json or as_json)

    def settings(self) -> Settings:
        """Read the settings and start the log that they name."""
        from bethink.settings import read_settings

        from .logs import start_log

        settings = read_settings(flags=self.flags)
        start_log(settings["log"])
        return settings


def speak_utf8() -> None:
    """Make the standard streams UTF-8 whatever the locale; nothing that is printed raises, a closed one takes all."""
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(
                encoding="utf-8", errors="surrogateescape" if stream is sys.stdin else "backslashreplace"
            )


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  # open as long as the process lives


def as_typed(text: str) -> str:
    """Return an argument as it was typed, where the locale could not decode its UTF-8."""
    if text.isascii() or not any("\udc80" <= c <= "\udcff" for c in text):
        return text
    return os.fsencode(text).decode("utf-8", "surrogateescape")


def text_from_stdin() -> str:
    """Return what was piped in, without the line end that closes it."""
    from bethink.documents.files import decoded

    content = sys.stdin.buffer.read() if isinstance(sys.stdin, TextIOWrapper) else sys.stdin.read().encode()
    return decoded(content).rstrip("\r\n")


class Command(click.Command):
    """A command whose help, like its answer, is told where standard output does not take it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; `--help` and `--version` print here."""
        with delivering():
            return super().parse_args(ctx, args)


class Unwritten(BethinkError):
    """The command ran, but its answer did not reach standard output."""

    code = "unwritten"


@contextmanager
def delivering() -> Iterator[None]:
    """Print an answer inside; a full disk behind standard output is told, a reader that has left is not."""
    try:
        yield
        sys.stdout.flush()
    except OSError as wrong:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered would fail once more at the end
        if isinstance(wrong, BrokenPipeError):
            raise
        raise Unwritten(
            f"standard output cannot be written: {wrong.strerror}", hint="The command ran; its answer is lost."
        ) from wrong


def print_json(value: object) -> None:
    """Print one JSON value; characters that a terminal would act on or not show are escaped, which keeps the value."""
    text = json.dumps(value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None)
    sys.stdout.write("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text) + "\n")


def tell(error: BethinkError, *, as_json: bool, code: str = "") -> int:
    """Say what is wrong and what to do: on standard error, or with JSON as the answer. Return the exit code."""
    from bethink.text.show import visible

    if as_json:
        with suppress(Unwritten, BrokenPipeError), delivering():
            print_json({"error": {"code": code or error.code, "message": str(error), "hint": error.hint}})
            return error.exit_code
    said = f"error: {error}\n" + (f"hint: {_TOOL.sub(_COMMAND, error.hint)}\n" if error.hint else "")
    sys.stderr.write(visible(said))
    return error.exit_code


def flags(options: Options) -> dict[str, str]:
    """Return the settings that the global options give; a malformed principal is refused here."""
    named = {
        "db": options["db"],
        "namespace": options["namespace"],
        "embedder": options["embedder"],
        "reranker": options["reranker"],
    }
    given = {name: value for name, value in named.items() if value is not None}
    if options["namespace"] is not None and options["place"] is not None:
        raise InvalidRequest("--namespace does not go with --place", hint="A confined process writes to its place.")
    return given | ({"principal": principal} if (principal := _principal(options)) else {})


def _principal(options: Options) -> str:
    from bethink.principal import parse_principal

    single = (("place", options["place"]), ("ceiling", options["ceiling"]), ("can", options["can"]))
    given = [(name, value) for name, value in single if value is not None]
    given += [("read", form) for form in options["read"]] + [("write", form) for form in options["write"]]
    if not given:
        return ""
    if options["place"] is None:
        raise InvalidRequest(f"--{given[0][0]} goes with --place", hint="Add --place PATH.")
    if wrong := next(((n, v) for n, v in given if ";" in v or not v.strip()), None):
        raise InvalidRequest(f"--{wrong[0]}: {wrong[1]!r} is not accepted", hint="See `bethink --help`.")
    text = ";".join(f"{name}={value}" for name, value in given)
    parse_principal(text)
    return text
