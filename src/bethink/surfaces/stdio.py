"""The protocol pipe: standard input and output, kept from everything else in the process, ended without fail."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from io import TextIOWrapper
from typing import Final, TypeGuard

from pydantic import BaseModel, ValidationError

from bethink.settings import Settings

LAST_SECONDS: Final = 1.8
_CHUNK: Final = 1 << 16
_PARENT_SECONDS: Final = 0.25
_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600
_UNREAD: Final = frozenset({"json_invalid", "string_unicode"})
_TOO_MUCH: Final = {
    "recursion limit": "Invalid request: it is nested too deep",
    "number out of range": "Invalid request: a number in it has too many digits",
}
_WRONG_ID: Final = "Invalid request: id: expected a text or a whole number"
_ESCAPE: Final = re.compile(
    r"""\\(?:
        u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}  # a pair: one character
      | (?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})
      | .                                                         # any other escape, an escaped backslash too
    ) | (?P<byte>[\udc80-\udcff])                                 # what is not UTF-8, as it was decoded""",
    re.VERBOSE | re.DOTALL,
)
_UNPARSED: Final = re.compile(r"\\u[dD]|[\udc80-\udcff]")

# An unclosed text goes on to the end, so that no line is looked through twice.
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[][{}]')
_ID: Final = re.compile(r'\s*:\s*("(?:[^"\\]|\\.)*+"|-?(?:0|[1-9]\d{0,17}))\s*[,}]')


def serve(settings: Settings) -> None:
    """Serve MCP here until the client leaves."""
    claim()
    with _quick_imports():
        import mcp.types  # noqa: F401
    from .mcp import run

    gc.freeze()
    run(settings)


@contextmanager
def _quick_imports() -> Iterator[None]:
    """Import the SDK in three quarters of its time.

    It declares every message of two protocol versions; pydantic is told to build what reads and writes a message when
    the first of its kind comes. The collector would take a tenth of the time, and find nothing.
    """
    gc.disable()
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        gc.enable()


@cache
def claim() -> Wire:
    """Take standard input and output for the protocol; call it before anything that might print is imported.

    Whoever reads 0 then finds it empty, and whoever writes to 1, from Python or from C, writes to standard error.
    """
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # there is no standard error
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    return Wire(source, sink)


class Wire:
    """Lines in, lines out, UTF-8 whatever the locale says.

    Once the input ends, the parent dies or the process is told to go, `lines` ends, and the process itself
    `LAST_SECONDS` later, whatever it is doing then.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source, self._sink = source, sink
        self._received: asyncio.Queue[str | None] = asyncio.Queue()
        self._ended = False

    async def lines(self) -> AsyncIterator[str]:
        """Yield what is received, a line at a time, until the end."""
        loop = asyncio.get_running_loop()
        if sys.platform != "win32":  # there, the parent's end of the pipe closes with it
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, self.end)
            _in_background(_watch_parent, os.getppid(), lambda: loop.call_soon_threadsafe(self.end))
        _in_background(self._read, loop)
        while (line := await self._received.get()) is not None:
            yield line

    async def write(self, line: str) -> None:
        """Send one line; where nobody reads any more, that is the end."""
        try:
            await asyncio.to_thread(_write, self._sink, line.encode("utf-8", errors="replace") + b"\n")
        except OSError:
            self.end()

    def end(self) -> None:
        """Stop receiving, and let the process last no longer than it may."""
        if not self._ended:
            self._ended = True
            self._received.put_nowait(None)
            _in_background(_leave_after, LAST_SECONDS)

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # the loop has closed: nobody listens any more
            for line in filter(None, map(mended, _split(self._source))):
                loop.call_soon_threadsafe(self._received.put_nowait, line)
            loop.call_soon_threadsafe(self.end)


def mended(line: bytes) -> str:
    """Return a line of JSON as text.

    Half surrogate pairs and bytes that are not UTF-8, which no parser of it would take, become the character zero: in
    the arguments of a call that is replaced and counted like any other that cannot be stored.
    """
    text = line.decode("utf-8", errors="surrogateescape").strip().removeprefix("\ufeff")
    return _ESCAPE.sub(_storable, text) if _UNPARSED.search(text) else text


def _storable(found: re.Match[str]) -> str:
    return "\\u0000" if found["lone"] or found["byte"] else found[0]


def refusal(line: str, wrong: ValidationError) -> str:
    """Return the answer to a line that is no message of the protocol; without it the sender would wait for one."""
    first = wrong.errors(include_url=False, include_input=False)[0]
    if first["type"] not in _UNREAD:
        message = json.loads(line)
        given = message.get("id") if isinstance(message, dict) else None
        return protocol_error(given if _is_id(given) else None, _INVALID_REQUEST, _malformed(message))
    reason = next((reason for sign, reason in _TOO_MUCH.items() if sign in first["msg"]), None)
    if reason is None:
        return protocol_error(None, _PARSE_ERROR, "Parse error")
    sender = _sender(line)
    return protocol_error(sender, _PARSE_ERROR if sender is None else _INVALID_REQUEST, reason)


def refusal_of_id(line: str) -> str | None:
    """Return the answer to a notification that was meant as a request, by an id that is none."""
    given = json.loads(line).get("id")
    return None if given is None else protocol_error(None, _INVALID_REQUEST, _WRONG_ID)


def protocol_error(sender: int | str | None, code: int, message: str) -> str:
    """Return an error of the protocol as the line to send."""
    return json.dumps({"jsonrpc": "2.0", "id": sender, "error": {"code": code, "message": message}})


def _malformed(message: object) -> str:
    """Say what keeps JSON from being a message."""
    if not isinstance(message, dict):
        return "Invalid request: expected an object"
    if message.get("jsonrpc") != "2.0":
        return 'Invalid request: jsonrpc: expected "2.0"'
    if not isinstance(message.get("method"), str):
        return "Invalid request: method: expected a text"
    if not isinstance(message.get("params", {}), dict):
        return "Invalid request: params: expected an object"
    return "Invalid request"


def _is_id(given: object) -> TypeGuard[int | str]:
    return isinstance(given, int | str) and not isinstance(given, bool)


def _sender(line: str) -> int | str | None:
    """Return the id of a message that cannot be read whole."""
    depth = 0
    for token in _TOKEN.finditer(line):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
        elif depth == 1 and token[0] == '"id"' and (found := _ID.match(line, token.end())):
            with suppress(ValueError):
                sender: int | str = json.loads(found[1])
                return sender
    return None


def _split(source: int) -> Iterator[bytes]:
    begun: list[bytes] = []
    while chunk := _chunk(source):
        *whole, last = chunk.split(b"\n")
        for line in whole:
            yield b"".join([*begun, line])
            begun.clear()
        begun.append(last)
    yield b"".join(begun)


def _chunk(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK)
    except OSError:
        return b""  # whatever went wrong with the pipe, nothing more will come through it


def _write(sink: int, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(sink, rest) :]


def _watch_parent(parent: int, end: Callable[[], object]) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    with suppress(RuntimeError):  # the loop has closed already
        end()


def _leave_after(seconds: float) -> None:
    time.sleep(seconds)
    os._exit(0)


def _in_background(work: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()
