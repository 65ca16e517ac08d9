"""Who is calling: a place, a read reach, a write reach, a ceiling, permissions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from .errors import InvalidRequest

ROOT = "global"
# A name of dots alone would mean another folder wherever a path is made of it.
_NAME = r"(?!\.+(?:[:/]|\Z))(?:[^\W_]|[._-]){1,64}"
_SEGMENT = re.compile(f"{_NAME}(?::{_NAME})?")
_MOST_SEGMENTS = 8


class AccessLevel(StrEnum):
    """How widely a memory may be seen, from anyone to a few; a ceiling hides what is above it."""

    public = "public"
    internal = "internal"
    confidential = "confidential"
    restricted = "restricted"

    @property
    def rank(self) -> int:
        """Its place in the order, 0 for public."""
        return list(AccessLevel).index(self)


class Permission(StrEnum):
    """What a principal may do beside reading."""

    write = "write"
    erase = "erase"
    admin = "admin"


def namespace_path(text: str) -> str:
    """Return `text` as a namespace path in NFC; raise `InvalidRequest` when it is not one."""
    path = unicodedata.normalize("NFC", text)
    segments = path.split("/")
    if len(segments) <= _MOST_SEGMENTS and all(_SEGMENT.fullmatch(s) for s in segments):
        return path
    raise InvalidRequest(
        f"{text[:80]!r} is not a namespace",
        hint="Write 1 to 8 segments joined by '/', each 'name' or 'kind:name' of letters, digits, '.', '_' or '-', "
        "not of dots alone.",
    )


def ancestors(path: str) -> list[str]:
    """Return `path` and the paths above it, nearest first."""
    segments = path.split("/")
    return ["/".join(segments[:n]) for n in range(len(segments), 0, -1)]


@dataclass(frozen=True, slots=True)
class Reach:
    """A set of namespaces: a union of exact paths and of subtrees; `everything` for the owner."""

    exact: frozenset[str] = frozenset()
    subtrees: frozenset[str] = frozenset()
    everything: bool = False

    def covers(self, path: str) -> bool:
        """Say whether `path` is in the set."""
        if self.everything or path in self.exact:
            return True
        return self._holds_subtree(path)

    def beyond(self, other: Reach) -> list[str]:
        """Return the parts of this reach that are not wholly within `other`."""
        if other.everything:
            return []
        outside = [f"subtree:{path}" for path in self.subtrees if not other._holds_subtree(path)]
        outside += [f"exact:{path}" for path in self.exact if not other.covers(path)]
        return sorted([*outside, *(["everything"] if self.everything else [])])

    def _holds_subtree(self, path: str) -> bool:
        return any(a in self.subtrees for a in ancestors(path))

    def __or__(self, other: Reach) -> Reach:
        """Return the union."""
        return Reach(
            self.exact | other.exact, self.subtrees | other.subtrees, everything=self.everything or other.everything
        )


EVERYTHING = Reach(everything=True)


def parse_reach(form: str, place: str) -> Reach:
    """Read `ancestors`, `exact`, `exact:PATH`, `subtree` or `subtree:PATH`; a bare form is about `place`."""
    word, colon, path = form.partition(":")
    at = namespace_path(path) if colon else place
    match word:
        case "exact":
            return Reach(exact=frozenset([at]))
        case "ancestors":
            return Reach(exact=frozenset(ancestors(at)))
        case "subtree":
            return Reach(subtrees=frozenset([at]))
    raise InvalidRequest(
        f"{form!r} is not a reach", hint="Use exact, ancestors, subtree, exact:PATH, ancestors:PATH or subtree:PATH."
    )


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of an operation.

    `read` and `write` bound what may be named at all; `default_read` is what a read covers when nothing is named.
    A confined principal cannot name namespaces: what it reads is always `read`, and what it writes goes to `place`.
    """

    name: str
    place: str
    read: Reach
    write: Reach
    default_read: Reach
    ceiling: AccessLevel = AccessLevel.restricted
    permissions: frozenset[Permission] = frozenset(Permission)
    confined: bool = False
    tenant: int = 1
    author: str | None = None
    agent: str | None = None

    def may(self, permission: Permission) -> bool:
        """Say whether the principal holds `permission`."""
        return permission in self.permissions


def owner(place: str, *, home: str | None = None, agent: str | None = None) -> Principal:
    """Return the local owner, who may name any namespace; by default `place`, what is above it, `home` and the root."""
    default = Reach(exact=frozenset([*ancestors(place), *([home] if home else []), ROOT]))
    return Principal("owner", namespace_path(place), EVERYTHING, EVERYTHING, default, author=home, agent=agent)


def confined(
    place: str,
    *,
    read: Iterable[str] = (),
    write: Iterable[str] = (),
    ceiling: AccessLevel = AccessLevel.internal,
    permissions: Iterable[Permission] = (Permission.write,),
) -> Principal:
    """Return a principal that a host has fixed to `place`; reaches are unions of forms as `parse_reach` takes.

    Whoever may change a memory may also read it, and nobody but the owner writes to the root. As author and agent the
    principal has the name at the end of its place: the path itself is told to nobody.
    """
    at = namespace_path(place)
    reading = _union(read or ("ancestors",), at)
    writing = _union(write or ("exact",), at)
    if at == ROOT or writing.covers(ROOT):
        raise InvalidRequest(
            f"{ROOT!r} is the owner's to write", hint="Use a place and a write reach below a name of your own."
        )
    if outside := writing.beyond(reading):
        raise InvalidRequest(
            f"the write reach goes beyond the read reach: {', '.join(outside)}",
            hint=f"Add it to the read reach too: read={outside[0]}.",
        )
    name = at.rpartition("/")[2].rpartition(":")[2]
    return Principal(
        f"place:{at}",
        at,
        reading,
        writing,
        reading,
        ceiling,
        frozenset(permissions),
        confined=True,
        author=name,
        agent=name,
    )


def _union(forms: Iterable[str], place: str) -> Reach:
    reach = Reach()
    for form in forms:
        reach |= parse_reach(form, place)
    return reach


_KEYS: Final = ("place", "read", "write", "ceiling", "can")
_REPEATABLE: Final = frozenset({"read", "write"})


def parse_principal(text: str) -> Principal:
    """Read `place=...;read=...;write=...;ceiling=...;can=write,erase`; what is malformed is an error, never a guess."""
    given = _given(text)
    if "place" not in given:
        raise InvalidRequest("the principal has no place", hint="Write place=PATH, for example place=team:acme.")
    (place,), (ceiling,), (can,) = given["place"], given.get("ceiling", ["internal"]), given.get("can", ["write"])
    return confined(
        place,
        read=given.get("read", ()),
        write=given.get("write", ()),
        ceiling=parse_ceiling(ceiling),
        permissions=parse_permissions(can),
    )


def _given(text: str) -> dict[str, list[str]]:
    """Return the values of each key; of what is said twice nobody knows which was meant."""
    given: dict[str, list[str]] = {}
    for part in (part.strip() for part in text.strip().removesuffix(";").split(";")):
        key, _, value = part.partition("=")
        if key not in _KEYS or not value:
            raise InvalidRequest(
                f"{part!r} is not part of a principal", hint=f"Use KEY=VALUE with {', '.join(_KEYS)}, one ';' between."
            )
        values = given.setdefault(key, [])
        if value in values or (values and key not in _REPEATABLE):
            raise InvalidRequest(
                f"{part!r} repeats {key!r} in the principal", hint="Give each part once; read and write take several."
            )
        values.append(value)
    return given


def parse_ceiling(text: str) -> AccessLevel:
    """Read an access level by its name."""
    try:
        return AccessLevel(text)
    except ValueError:
        raise InvalidRequest(f"{text!r} is not an access level", hint=f"Use {', '.join(AccessLevel)}.") from None


def parse_permissions(text: str) -> frozenset[Permission]:
    """Read a comma list of permissions; `read` alone, or `none`, means that nothing may be changed."""
    words = [word.strip() for word in text.split(",")]
    known = {"read", "none", *Permission}
    if not known.issuperset(words) or len(set(words)) < len(words) or ("none" in words and len(words) > 1):
        raise InvalidRequest(
            f"{text!r} are not permissions", hint=f"Use some of {', '.join(Permission)}, each once, or none alone."
        )
    return frozenset(Permission(word) for word in words if word not in ("read", "none"))
