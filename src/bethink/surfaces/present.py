"""Results and errors as a model is shown them: nothing hidden in a text, recalled text marked as data."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Any, Final, Protocol, runtime_checkable

from pydantic import BaseModel

from bethink.domain import to_micros
from bethink.errors import BethinkError
from bethink.text.show import frame, visible
from bethink.text.times import format_time

log = logging.getLogger("bethink.internal")

_RECALLED: Final = frozenset({"title", "content", "text", "summary", "context", "quote", "description", "value"})


@runtime_checkable
class Compact(Protocol):
    """A result that can say what it is in a few lines."""

    def compact(self) -> str:
        """Return the lines."""


def structured(value: object) -> Any:  # any JSON value
    """Return a value as JSON with every text visible; parts of a result that are absent are left out."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, BaseModel):
        named = ((name, getattr(value, name)) for name in type(value).model_fields)
        return {name: structured(part) for name, part in named if part is not None}
    if isinstance(value, list | tuple | set | frozenset):
        return [structured(part) for part in value]
    if isinstance(value, datetime):
        return format_time(to_micros(value))
    if isinstance(value, Mapping):
        return {visible(str(name)): structured(part) for name, part in value.items()}
    return value


def text(result: BaseModel, told: object, source: str) -> str:
    """Return a result in a few lines; where `told`, its structured form, holds what was recalled, framed as data."""
    lines = result.compact() if isinstance(result, Compact) else result.model_dump_json()
    if not _holds_recalled(told):
        return visible(lines)
    return frame(lines, nonce=secrets.token_hex(4), source=source)


def failure(error: BethinkError) -> tuple[str, dict[str, Any]]:
    """Return an error as text and in its structured form."""
    message, hint = visible(str(error)), visible(error.hint)
    said = {"code": error.code, "message": message, "hint": hint}
    return f"{error.code}: {message}" + (f"\n{hint}" if hint else ""), {"error": said}


def masked(wrong: Exception, what: str) -> BethinkError:
    """Log what nobody expected; return an error that holds nothing of it but the log's id for it."""
    incident = secrets.token_hex(4)
    log.error("internal error %s in %s", incident, what, exc_info=wrong)
    return BethinkError(
        f"something went wrong inside (incident {incident})", hint="Try once more; the server's log says what it was."
    )


def _holds_recalled(told: object) -> bool:
    if isinstance(told, Mapping):
        if any(isinstance(told.get(name), str) for name in _RECALLED):
            return True
        told = list(told.values())
    return isinstance(told, list) and any(map(_holds_recalled, told))
