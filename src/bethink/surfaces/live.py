"""Settings that follow their files while a server runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from bethink.errors import InvalidRequest
from bethink.settings import Settings, read_settings

log = logging.getLogger("bethink.settings")

# What the store, the model and the log were opened with.
_OPENED_WITH: Final = ("db", "embedder", "reranker", "models", "synchronous", "busy_timeout", "log")


class Live:
    """The settings as they stand now; where a file has become unreadable or wrong, as they stood before.

    Files are looked for from the folder that was the working folder at the start, which may since have been deleted.
    """

    def __init__(self, settings: Settings) -> None:
        self.folder = Path.cwd()
        self._settings = settings
        self._flags = {name: value.text for name, value in settings.values.items() if value.origin == "flag"}
        self._said = ""

    def follow(self, apply: Callable[[Settings], None]) -> None:
        """Apply the settings if they have changed since the last time, but for those that need a restart."""
        try:
            settings = read_settings(flags=self._flags, folder=self.folder)
            opened_with = {name: self._settings.values[name] for name in _OPENED_WITH}
            self._use(replace(settings, values={**settings.values, **opened_with}), apply)
        except (InvalidRequest, OSError) as wrong:
            self._say(f"the changed settings are not used: {wrong}")
            return
        if waiting := [name for name in _OPENED_WITH if settings[name] != self._settings[name]]:
            self._say(f"changed, but needs a restart: {', '.join(waiting)}")

    def _use(self, settings: Settings, apply: Callable[[Settings], None]) -> None:
        if settings != self._settings:
            apply(settings)
            self._settings = settings
            self._say("the changed settings are in use")

    def _say(self, what: str) -> None:
        if what != self._said:
            self._said = what
            log.warning("%s", what)
