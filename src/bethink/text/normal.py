"""Unicode normal forms in linear time: a run of combining marks that no language writes is left as it is."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

# unicodedata sorts a run of combining marks by insertion: 80,000 of them take 7 seconds.
_LONGEST_RUN = 64
_OVERLONG = re.compile(f"m{{{_LONGEST_RUN},}}")


def nfc(text: str) -> str:
    """Return the form in which keys, tags, titles and hashes are compared."""
    return _normalise("NFC", text)


def nfkc(text: str) -> str:
    """Return the form in which terms are compared: width and ligature variants become one."""
    return _normalise("NFKC", text)


def _normalise(form: Literal["NFC", "NFKC"], text: str) -> str:
    if text.isascii():
        return text
    if not any(map(_is_mark, text[_LONGEST_RUN - 1 :: _LONGEST_RUN])):  # a long run would stand in one
        return unicodedata.normalize(form, text)
    done, pieces = 0, []
    for run in _OVERLONG.finditer(text.translate(_MARKS)):
        pieces += [unicodedata.normalize(form, text[done : run.start()]), text[run.start() : run.end()]]
        done = run.end()
    return "".join([*pieces, unicodedata.normalize(form, text[done:])])


def _is_mark(character: str) -> bool:
    """Say whether one joins a run of marks: some that are none themselves are written out as such."""
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) > 0


class _MarkTable(dict[int, str]):
    """For str.translate: `m` for a combining mark, `.` for anything else."""

    def __missing__(self, code: int) -> str:
        self[code] = "m" if _is_mark(chr(code)) else "."
        return self[code]


_MARKS = _MarkTable()
