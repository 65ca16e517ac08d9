"""What the tests of the surfaces share: an environment without settings, and a client over a real pipe."""

import json
import logging
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import bethink

SOURCE = Path(bethink.__file__).parents[1]
UNRULY = str(Path(__file__).with_name("unruly.py"))
_PATIENCE = 60  # seconds: a machine that runs much else starts a process slowly


def options(db, *place):
    """The global options of a command on a store of the test's own, searched by keyword, in `team` or another place."""
    return ["--db", str(db), *(place or ["--namespace", "team"]), "--embedder", "none"]


def command(db, *arguments):
    """A command with these options, as a process."""
    return [sys.executable, "-m", "bethink", *options(db), *arguments]


def environment(folder, **given):
    """What a server of these tests runs with: nothing of the user's, a store of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BETHINK_", "PYTHON"))}
    own = {
        "PYTHONPATH": str(SOURCE),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "data"),
        "BETHINK_DB": str(folder / "memories.db"),
        "BETHINK_EMBEDDER": "none",
        "BETHINK_NAMESPACE": "team:acme",
    }
    return {**kept, **own, **given}


class Peer:
    """A client that can send anything, over a real pipe to a real process."""

    def __init__(self, folder, *command, handshake=True, **variables):
        with (folder / "stderr.txt").open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, *(command or ("-m", "bethink"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment(folder, **variables),
                cwd=folder,
            )
        self.folder = folder
        self._received = queue.Queue()
        self._asked = 0
        threading.Thread(target=self._listen, daemon=True).start()
        if handshake:
            self.greeting = self.ask("initialize", **hello("pytest"))["result"]
            self.tell("notifications/initialized")

    @property
    def pid(self):
        return self._process.pid

    @property
    def stderr(self):
        return (self.folder / "stderr.txt").read_text("utf-8")

    def send(self, line):
        self._process.stdin.write((line if isinstance(line, bytes) else line.encode()) + b"\n")
        self._process.stdin.flush()

    def receive(self):
        return self._received.get(timeout=_PATIENCE)

    def tell(self, method, **params):
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def begin(self, method, **params):
        self._asked += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}))
        return self._asked

    def ask(self, method, **params):
        number = self.begin(method, **params)
        while (message := self.receive()).get("id") != number:
            assert "id" not in message, f"an answer that was not asked for: {message}"
        return message

    def call(self, tool, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def leave(self):
        self._process.stdin.close()
        return self._process.wait(timeout=_PATIENCE)

    def wait(self):
        return self._process.wait(timeout=_PATIENCE)

    def end(self):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def _listen(self):
        for line in self._process.stdout:
            self._received.put(json.loads(line))


def hello(name, version="2025-11-25"):
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}


@pytest.fixture
def logger():
    """The log, which other tests find as it was."""
    logger = logging.getLogger("bethink")
    yield logger
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.propagate, logger.level = True, logging.NOTSET


@pytest.fixture
def bare(tmp_path, monkeypatch, logger):  # noqa: ARG001  # the log is put back
    """A folder and an environment without settings."""
    for name in [name for name in os.environ if name.startswith("BETHINK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def start(tmp_path):
    """Start servers that end with the test."""
    started = []

    def begin(*command, **given):
        peer = Peer(tmp_path, *command, **given)
        started.append(peer)
        return peer

    yield begin
    for peer in started:
        peer.end()


@pytest.fixture(scope="module")
def peer(tmp_path_factory):
    """The one server that the tests of a module share."""
    shared = Peer(tmp_path_factory.mktemp("mcp"))
    yield shared
    shared.end()


@pytest.fixture(scope="module")
def unruly(tmp_path_factory):
    """The server with operations that misbehave, shared too."""
    shared = Peer(tmp_path_factory.mktemp("unruly"), UNRULY)
    yield shared
    shared.end()
