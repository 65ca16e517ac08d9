"""Settings that follow their files while a server runs."""

from __future__ import annotations

import logging
from collections.abc import Callable

from bethink.errors import InvalidRequest
from bethink.settings import Settings, read_settings

log = logging.getLogger("bethink.settings")


class Live:
    """The settings as they stand now; where a file has become unreadable or wrong, as they stood before."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._flags = {name: value.text for name, value in settings.values.items() if value.origin == "flag"}
        self._said = ""

    def follow(self, apply: Callable[[Settings], None]) -> None:
        """Apply the settings if they have changed since the last time."""
        try:
            settings = read_settings(flags=self._flags)
            if settings != self._settings:
                apply(settings)
                self._settings = settings
                self._say("the changed settings are in use")
        except InvalidRequest as wrong:
            self._say(f"the changed settings are not used: {wrong}")

    def _say(self, what: str) -> None:
        if what != self._said:
            self._said = what
            log.warning("%s", what)
