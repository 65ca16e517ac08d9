"""Make the embedded model before the package is built: no weights are kept in version control."""

from __future__ import annotations

import sys

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class EmbeddedModelHook(BuildHookInterface[BuilderConfig]):
    """Runs for the wheel, the editable install and the sdist; from an sdist it finds the model made."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        """Make what `[tool.hatch.build] artifacts` then collects."""
        del version, build_data
        sys.path.insert(0, self.root)
        from build_model import make_model

        make_model()
