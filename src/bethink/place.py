"""Where the owner writes when nothing is named: the repository that holds the working folder, never a guess."""

from __future__ import annotations

import configparser
import hashlib
import re
from pathlib import Path

_REMOTE = re.compile(
    r"(?:[a-z+]+://)?(?:[^@/]+@)?(?P<host>[^/:]+)(?::\d+)?[/:](?P<path>.+?)(?:\.git)?/?", re.IGNORECASE
)


def owner_place(folder: Path) -> str | None:
    """Return the namespace of the repository that holds `folder`, None outside one.

    A repository is known by its remote, else by its common git folder, so that clones and worktrees share a namespace
    and two repositories of one name do not.
    """
    common = _common_folder(folder)
    if common is None:
        return None
    remote = _remote(common)
    identity = remote or str(common)
    name = (remote or str(common.parent)).rsplit("/", 1)[-1]
    plain = "".join(c if c.isalnum() or c in "._-" else "-" for c in name)[:48] or "repository"
    return f"repo:{plain}-{hashlib.sha256(identity.encode()).hexdigest()[:6]}"


def normalised(url: str) -> str:
    """Return a remote as host/path, whichever way it was written."""
    match = _REMOTE.fullmatch(url.strip())
    return f"{match['host'].lower()}/{match['path'].strip('/')}" if match else url.strip()


def _common_folder(folder: Path) -> Path | None:
    for above in (folder.absolute(), *folder.absolute().parents):
        git = above / ".git"
        if git.is_dir():
            return git.resolve()
        if git.is_file():
            return _linked(git)
    return None


def _linked(file: Path) -> Path | None:
    """Follow the file that a worktree or submodule has in place of a folder; one that cannot be followed is none."""
    try:
        return _followed(file)
    except (OSError, ValueError):  # ValueError: bytes that are not UTF-8, or a zero in a path
        return None


def _followed(file: Path) -> Path | None:
    text = file.read_text(encoding="utf-8", errors="replace").strip()
    if not text.startswith("gitdir:"):
        return None
    folder = (file.parent / text.removeprefix("gitdir:").strip()).resolve()
    common = folder / "commondir"
    return (folder / common.read_text(encoding="utf-8").strip()).resolve() if common.is_file() else folder


def _remote(common: Path) -> str | None:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read(common / "config", encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError, OSError):
        return None
    named = {s.removeprefix('remote "').removesuffix('"'): s for s in parser.sections() if s.startswith('remote "')}
    chosen = named.get("origin") or next(iter(named.values()), None)
    url = parser.get(chosen, "url", fallback=None) if chosen else None
    return normalised(url) if url else None
