"""Cursors: what comes next, sealed with the store's key: nothing is kept between calls, nothing is forged or read."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import Any, Final

from bethink.errors import InvalidRequest

_LASTS_MICROS: Final = 3_600_000_000
_SIGNATURE_BYTES: Final = 12
_END: Final = b"\n"  # JSON on one line holds none


def issue(key: bytes, *, purpose: str, call: Any, state: Any, now: int, order: Sequence[int] = ()) -> str:
    """Return a cursor that holds `state` and `order`, good for an hour and for the same `call` alone."""
    base = max(order, default=0) + 1
    head = json.dumps([now + _LASTS_MICROS, _digest(call), state, base], separators=(",", ":")).encode()
    body = head + _END + _packed(order, base)
    signature = _sign(key, purpose, body)
    return base64.urlsafe_b64encode(signature + _masked(key, signature, body)).rstrip(b"=").decode()


def redeem(key: bytes, cursor: str, *, purpose: str, call: Any, now: int) -> tuple[Any, list[int]]:
    """Return state and order of a cursor that this store issued for the same call and that has not expired."""
    body = _opened(key, cursor, purpose)
    head, _, order = body.partition(_END)
    expires, digest, state, base = json.loads(head)
    if digest != _digest(call):
        raise InvalidRequest("the cursor belongs to another call", hint="Repeat the call that gave it, unchanged.")
    if expires < now:
        raise InvalidRequest("the cursor has expired", hint="Start again without a cursor.")
    return state, _unpacked(order, base)


def _opened(key: bytes, cursor: str, purpose: str) -> bytes:
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        signature = raw[:_SIGNATURE_BYTES]
        body = _masked(key, signature, raw[_SIGNATURE_BYTES:])
        if hmac.compare_digest(signature, _sign(key, purpose, body)):
            return body
    except (binascii.Error, ValueError):
        pass
    raise InvalidRequest("the cursor is not valid", hint="Pass a cursor exactly as a result gave it, or none.")


def _packed(order: Sequence[int], base: int) -> bytes:
    """Positive numbers below `base` as the digits of one number: who reads a cursor pays for its length."""
    whole = 1  # so that leading zeros count
    for number in order:
        whole = whole * base + number
    return whole.to_bytes((whole.bit_length() + 7) // 8, "big")


def _unpacked(packed: bytes, base: int) -> list[int]:
    whole, order = int.from_bytes(packed, "big"), []
    while whole > 1:
        whole, number = divmod(whole, base)
        order.append(number)
    return order[::-1]


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
