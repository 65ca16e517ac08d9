"""Where the log goes: standard error, or a file that rotates; writing it never stops the work."""

from __future__ import annotations

import logging
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from bethink.errors import InvalidRequest
from bethink.settings import path_of

_LEVELS: Final = ("debug", "info", "warning", "error")
_LINE: Final = "%(asctime)s %(process)d %(levelname)s %(name)s %(message)s"
_LARGEST: Final = 5_000_000
_KEPT: Final = 3


def start_log(setting: str) -> None:
    """Log as `LEVEL` (to standard error) or `LEVEL:FILE` says."""
    level, _, file = setting.partition(":")
    if level.lower() not in _LEVELS:
        raise InvalidRequest(f"log: {level!r} is not a level", hint=f"Use one of {', '.join(_LEVELS)}, then :FILE.")
    logging.raiseExceptions = False
    logger = logging.getLogger("bethink")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    handler = _file_handler(file) if file else logging.StreamHandler()
    handler.setFormatter(logging.Formatter(_LINE if file else "%(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    logger.propagate = False


def _file_handler(file: str) -> logging.Handler:
    path = path_of("log", file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _Rotating(path, maxBytes=_LARGEST, backupCount=_KEPT, encoding="utf-8", errors="backslashreplace")
    except OSError as wrong:
        reason = wrong.strerror or "it cannot be opened"
        raise InvalidRequest(f"log: {path.name!r} cannot be written: {reason}", hint="Name another file.") from wrong


class _Rotating(RotatingFileHandler):
    """Makes files that its user alone can read.

    It goes on in the same file where that cannot be renamed, as when another process has it open on Windows.
    """

    def doRollover(self) -> None:  # noqa: N802  # the library's name
        """Begin a new file if possible."""
        try:
            super().doRollover()
        except OSError:
            self.stream = self._open()

    def _open(self) -> TextIOWrapper:
        with suppress(FileExistsError):
            Path(self.baseFilename).touch(mode=0o600, exist_ok=False)
        return super()._open()
