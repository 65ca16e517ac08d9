"""A client of a real server process: raw JSON-RPC lines over its pipes, nothing of an SDK's time in the figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import bethink

_PROTOCOL: Final = "2025-11-25"
_SOURCE: Final = Path(bethink.__file__).parents[1]
_LAST_SECONDS: Final = 10


class Server:
    """A client of one server process over its pipes; `started` is when the process was begun."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(  # noqa: S603  # a benchmark's own words
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
        )
        self._asked = 0

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def greet(self) -> None:
        """Shake hands."""
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion=_PROTOCOL, capabilities={}, clientInfo=client)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **params: Any) -> bytes:  # whatever the method takes
        """Send a request and return the line that answers it."""
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if json.loads(line).get("id") == self._asked:
                return line
        raise RuntimeError(f"the server ended without answering {method}")

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:  # whatever the tool takes
        """Call a tool and return its result as it goes over the pipe."""
        said = json.loads(self.ask("tools/call", name=tool, arguments=dict(arguments)))
        result: dict[str, Any] = said.get("result", {})
        if "error" in said or result.get("isError"):
            raise RuntimeError(str(said.get("error") or result["content"]))
        return result

    def __enter__(self) -> Self:
        """Shake hands with the server."""
        self.greet()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave, which ends the server."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(_LAST_SECONDS)
        finally:
            self._process.kill()
            self._process.stdout.close()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


class Client(Server):
    """A client of Bethink on the store at `db`, with nothing of the user's settings."""

    def __init__(self, db: Path, **settings: str) -> None:
        super().__init__([sys.executable, "-m", "bethink"], db.parent, _environment(db, settings))

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:  # whatever the tool takes
        """Call a tool and return its structured result."""
        result: dict[str, Any] = self.answer(tool, arguments)["structuredContent"]
        return result


def _environment(db: Path, settings: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BETHINK_")}
    own = {
        "PYTHONPATH": str(_SOURCE),
        "XDG_CONFIG_HOME": str(db.parent / "config"),
        "XDG_DATA_HOME": str(db.parent / "data"),
        "BETHINK_DB": str(db),
        "BETHINK_NAMESPACE": "bench",
    }
    return {**kept, **own, **{f"BETHINK_{name.upper()}": value for name, value in settings.items()}}
