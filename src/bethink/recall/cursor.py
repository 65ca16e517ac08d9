"""Cursors: what comes next, sealed with the store's key: nothing is kept between calls, nothing is forged or read."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import zlib
from typing import Any, Final

from bethink.errors import InvalidRequest

_LASTS_MICROS: Final = 3_600_000_000
_SIGNATURE_BYTES: Final = 12


def issue(key: bytes, *, purpose: str, call: Any, state: Any, now: int) -> str:
    """Return a cursor that holds `state`, good for an hour and for the same `call` alone."""
    body = zlib.compress(json.dumps([now + _LASTS_MICROS, _digest(call), state], separators=(",", ":")).encode(), 1)
    signature = _sign(key, purpose, body)
    return base64.urlsafe_b64encode(signature + _masked(key, signature, body)).rstrip(b"=").decode()


def redeem(key: bytes, cursor: str, *, purpose: str, call: Any, now: int) -> Any:
    """Return the state of a cursor that this store issued for the same call and that has not expired."""
    expires, digest, state = _opened(key, cursor, purpose)
    if digest != _digest(call):
        raise InvalidRequest("the cursor belongs to another call", hint="Repeat the call that gave it, unchanged.")
    if expires < now:
        raise InvalidRequest("the cursor has expired", hint="Start again without a cursor.")
    return state


def _opened(key: bytes, cursor: str, purpose: str) -> tuple[int, str, Any]:
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        signature = raw[:_SIGNATURE_BYTES]
        body = _masked(key, signature, raw[_SIGNATURE_BYTES:])
        if hmac.compare_digest(signature, _sign(key, purpose, body)):
            expires, digest, state = json.loads(zlib.decompress(body))
            return expires, digest, state
    except (binascii.Error, zlib.error, ValueError):
        pass
    raise InvalidRequest("the cursor is not valid", hint="Pass a cursor exactly as a result gave it, or none.")


def _sign(key: bytes, purpose: str, body: bytes) -> bytes:
    return hmac.digest(key, purpose.encode() + b"\0" + body, "sha256")[:_SIGNATURE_BYTES]


def _masked(key: bytes, signature: bytes, body: bytes) -> bytes:
    """Hide or show `body` under a stream that its own signature starts, as RFC 5297 does.

    A body holds numbers of the store, which would tell a caller how much there is beyond its reach.
    """
    stream = hashlib.shake_256(hmac.digest(key, b"mask\0" + signature, "sha256")).digest(len(body))
    return (int.from_bytes(body, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(body), "big")


def _digest(call: Any) -> str:
    text = json.dumps(call, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=9).hexdigest()
