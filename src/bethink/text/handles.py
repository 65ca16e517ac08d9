"""Words that tell by their form alone what they stand for: addresses, paths, identifiers, tickets, versions, dates."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from .name_words import EXTENSIONS, KNOWN, WELL_KNOWN_FILES
from .sorts import CONCEPT, PERSON


class Handle(NamedTuple):
    """A word with what it stands for."""

    spelled: str
    kind: str


_FORGES: Final = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
_HERE: Final = ("localhost", "127.", "0.0.0.0", "192.168.", "10.", "[")  # noqa: S104  # what is left out
_URL: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{1,15}://(?:[^/@\s]{0,100}@)?(?:www\.)?([^/:?#\s]{1,100})(?::\d+)?/?(.*)"
)
_CLONED: Final = re.compile(r"git@[\w.-]{1,60}:([\w.-]{1,60}/[\w.-]{1,100})")
_OF_REPO: Final = re.compile(
    r"([\w.-]{1,60}/[\w.-]{1,100}?)(?:\.git)?(?:/(?:issues|pulls?|merge_requests|-/issues)/(\d{1,7}))?(?:[/?#].*)?"
)
_EMAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}")
_AT: Final = re.compile(r"@[^\W\d_][\w.-]{1,38}")
_PACKAGE: Final = re.compile(r"@[a-z][\w.-]{1,40}/[a-z][\w.-]{1,60}")
_TAG: Final = re.compile(r"#[^\W\d_][\w-]{1,48}")
_COLOUR: Final = re.compile(r"#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})")
_NUMBERED: Final = re.compile(r"(?:([\w.-]{1,60}/[\w.-]{1,60}))?#(\d{1,7})")
_TICKET: Final = re.compile(r"([A-Z][A-Z0-9]{1,9})-\d{1,6}")
_NO_TICKETS: Final = frozenset(
    ("UTF", "ISO", "SHA", "AES", "RSA", "MD", "GPT", "COVID", "USB", "HTTP", "TLS", "IEEE", "ECMA", "PEP", "CC", "UTC")
)
_DATE: Final = re.compile(r"((?:19|20)\d\d-[01]\d-[0-3]\d)(?:T[\d:.Z+-]{1,30})?")
_VERSION: Final = re.compile(
    r"v\d{1,4}(?:\.\d{1,5}){1,3}(?:[-+.][A-Za-z][\w.]{0,20})?|\d{1,4}\.\d{1,5}\.\d{1,5}(?:[-+.][A-Za-z][\w.]{0,20})?"
)
_LINE: Final = re.compile(r"(.+?)(?::\d{1,6}){1,2}")
_STEM: Final = re.compile(r"[\w.@~+/\\:-]+")
_DOMAIN: Final = re.compile(r"(?:[a-z0-9-]{1,40}\.){1,3}(?:com|org|net|io|dev|ai|app|edu|gov|co\.uk|de|fr)")
_CALLED: Final = re.compile(r"[A-Za-z_][\w.]{1,80}\(\)")
_QUALIFIED: Final = re.compile(r"[A-Za-z_]\w*(?:::~?\w+)+(?:\(\))?")
_SNAKE: Final = re.compile(r"_{0,2}[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_{0,2}")
_CAMEL: Final = re.compile(r"[a-z]{2,}[a-z0-9]*(?:[A-Z][a-z0-9]+)+[A-Z]?")
_FLAG: Final = re.compile(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@lru_cache(maxsize=16_384)
def handles(word: str) -> tuple[Handle, ...]:
    """Return what `word` stands for by its form; nothing for one that must be read among others."""
    if "://" in word or word.startswith("git@"):
        return tuple(_of_address(word))
    if "@" in word:
        return _at_sign(word)
    if "#" in word:
        return _hash_sign(word)
    found = _ticket(word) or _dated(word) or _file(word) or _code(word)
    return (found,) if found else ()


def _of_address(word: str) -> list[Handle]:
    if cloned := _CLONED.match(word):
        return [Handle(cloned[1].removesuffix(".git"), "repo")]
    url = _URL.fullmatch(word)
    if url is None or url[1].startswith(_HERE):
        return []
    host = url[1].lower()
    if host in _FORGES and (inside := _OF_REPO.fullmatch(url[2])):
        repo = [Handle(inside[1], "repo")]
        return [*repo, Handle(f"{inside[1]}#{inside[2]}", "ticket")] if inside[2] else repo
    return [Handle(host, "service")] if "." in host else []


def _at_sign(word: str) -> tuple[Handle, ...]:
    if _EMAIL.fullmatch(word):
        return (Handle(word, PERSON),)
    if _PACKAGE.fullmatch(word):
        return (Handle(word, "tool"),)
    return (Handle(word[1:].rstrip(".-"), PERSON),) if _AT.fullmatch(word) else ()


def _hash_sign(word: str) -> tuple[Handle, ...]:
    if numbered := _NUMBERED.fullmatch(word):
        ticket = Handle(word, "ticket")
        return (Handle(numbered[1], "repo"), ticket) if numbered[1] else (ticket,)
    if word.lower() in ("c#", "f#"):
        return (Handle(word, "tool"),)
    return (Handle(word[1:], CONCEPT),) if _TAG.fullmatch(word) and not _COLOUR.fullmatch(word) else ()


def _ticket(word: str) -> Handle | None:
    found = _TICKET.fullmatch(word)
    return Handle(word, "ticket") if found and found[1] not in _NO_TICKETS else None


def _dated(word: str) -> Handle | None:
    if not any(map(str.isdigit, word[:2])):
        return None
    if date := _DATE.fullmatch(word):
        return Handle(date[1], "date")
    return Handle(word, "version") if _VERSION.fullmatch(word) else None


def _file(word: str) -> Handle | None:
    path = line[1] if (line := _LINE.fullmatch(word)) else word
    name = re.split(r"[/\\]", path)[-1]
    stem, dot, extension = name.rpartition(".")
    if dot and path == name and (sort := KNOWN.get(name.lower().replace(".", ""))):
        return Handle(path, sort)
    if _DOMAIN.fullmatch(path):
        return Handle(path, "service")
    is_file = (dot and (stem or path == name) and extension.lower() in EXTENSIONS) or name.lower() in WELL_KNOWN_FILES
    is_folder = path.startswith(("/", "./", "../", "~/")) and path.count("/") > 1
    return Handle(path.removeprefix("./"), "file") if (is_file or is_folder) and _STEM.fullmatch(path) else None


def _code(word: str) -> Handle | None:
    if any(form.fullmatch(word) for form in (_SNAKE, _CALLED, _QUALIFIED, _FLAG)):
        return Handle(word, "code")
    return Handle(word, "code") if _CAMEL.fullmatch(word) and word.lower() not in KNOWN else None
