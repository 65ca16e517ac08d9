"""Every error that a caller can see. `code` is stable; surfaces map it, nobody else does.

BethinkError
├── InvalidRequest   bad input                              http 422   exit 2
│   └── TooLarge     over a limit                           http 413   exit 2
├── Unsupported      not served here, or not by this caller  http 405   exit 2
├── NotFound         no such id, namespace, store or file   http 404   exit 3
├── Conflict         what is there is in the way            http 409   exit 4
├── Unavailable      store or model is down; try again      http 503   exit 5
│   └── Busy         another process holds the write lock   http 503   exit 5
└── Forbidden        the host fixes it, or no permission    http 403   exit 6
"""

from __future__ import annotations


class BethinkError(Exception):
    """One factual line (`str(error)`) and a `hint`: the sentence that says what to do."""

    code = "internal"
    http_status = 500
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class InvalidRequest(BethinkError):
    """An argument is missing, malformed or contradicts another."""

    code, http_status, exit_code = "invalid_request", 422, 2


class TooLarge(InvalidRequest):
    """A value exceeds a limit; the message names the limit and the size."""

    code, http_status = "too_large", 413


class Unsupported(BethinkError):
    """The operation, mode or filter exists but cannot be served here."""

    code, http_status, exit_code = "unsupported", 405, 2


class NotFound(BethinkError):
    """No such id or namespace within the caller's reach, no such store or file."""

    code, http_status, exit_code = "not_found", 404, 3


class Conflict(BethinkError):
    """What is there is in the way: it changed since the caller read it, exists already, is full or fits no token."""

    code, http_status, exit_code = "conflict", 409, 4


class Unavailable(BethinkError):
    """The store or a model cannot answer now; nothing was changed."""

    code, http_status, exit_code = "unavailable", 503, 5
    retry_after = 1.0


class Busy(Unavailable):
    """Another process holds the write lock for longer than the caller may wait."""

    code = "busy"


class Forbidden(BethinkError):
    """The caller asked for what its principal may not do or name."""

    code, http_status, exit_code = "forbidden", 403, 6
