"""Tags compare in NFC and without regard to case, whole."""

from __future__ import annotations

from .normal import nfc


def fold_tag(tag: str) -> str:
    """Return the form in which a tag is compared."""
    return nfc(nfc(tag.strip()).casefold())
