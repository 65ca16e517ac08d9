"""What a memory mentions: in its title, content and context, and by its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bethink.domain import Memory, Source
from bethink.text.mentions import MOST, Mention, fold_name, mentions
from bethink.text.sorts import CONCEPT

_BARE: Final = re.compile(r"#\d+")


def mentions_of(memory: Memory, *, title_given: bool) -> tuple[Mention, ...]:
    """Return what a memory mentions, each thing once; of very many, those of its title and content first."""
    texts = [memory.title if title_given else "", memory.content, memory.context or ""]
    found: dict[str, Mention] = {}
    for one in [m for text in texts if text for m in mentions(text, language=memory.language)]:
        _take(found, one)
    for one in _of_source(memory.source):
        _take(found, one)
    return tuple(found.values())[:MOST]


def in_repo(found: Sequence[Mention], default_repo: str | None) -> tuple[Mention, ...]:
    """Return mentions with the repository of a namespace before a bare `#12`; an empty one means that there is none."""
    if default_repo is None:
        return tuple(found)
    return tuple(_numbered(m, default_repo) for m in found if default_repo or not _BARE.fullmatch(m.spelled))


def _numbered(mention: Mention, repo: str) -> Mention:
    if not _BARE.fullmatch(mention.spelled):
        return mention
    spelled = f"{repo}{mention.spelled}"
    return replace(mention, spelled=spelled, folded=fold_name(spelled))


def _take(found: dict[str, Mention], one: Mention) -> None:
    known = found.get(one.folded)
    if known is None or (known.kind == CONCEPT and one.kind != CONCEPT):
        found[one.folded] = one


def _of_source(source: Source | None) -> Iterator[Mention]:
    if source is not None:
        for spelled, kind in ((source.repo, "repo"), (source.path, "file")):
            if spelled and (folded := fold_name(spelled)):
                yield Mention(spelled, folded, kind)
