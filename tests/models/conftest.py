"""Loopback HTTP servers: one answers as scripted and keeps what it was asked, one is a hub of models."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from .hub_server import HubServer

Reply = tuple[int, object]


@dataclass
class Request:
    path: str
    headers: Mapping[str, str]
    body: dict[str, object]

    @property
    def authorization(self) -> str | None:
        return self.headers["Authorization"]


@dataclass
class Endpoint:
    """`answer` makes the reply to a request; replies in `first` go out before, one each."""

    answer: Callable[[Request], Reply]
    url: str = ""
    first: list[Reply] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)

    def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        return self.first.pop(0) if self.first else self.answer(request)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    state = Endpoint(answer=lambda _: (404, {}))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer({})

        def do_POST(self):
            self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def answer(self, body):
            status, reply = state.reply(Request(self.path, self.headers, body))
            content = reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()
            self.send_response(status)
            for name, value in {**state.headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    with serving(Handler) as state.url:
        yield state


@pytest.fixture
def hub() -> Iterator[HubServer]:
    state = HubServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, headers, content = state.reply(self.path, self.headers)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(content[: state.breaks_off_at if "/cdn/" in self.path else None])
            self.close_connection = True

        def log_message(self, *_):
            pass

    with serving(Handler) as state.url:
        yield state


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve on the loopback, and return the URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
