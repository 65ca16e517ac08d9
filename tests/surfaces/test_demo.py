"""The demo: it works from end to end, and touches nothing of the user's."""

import os
import subprocess
import sys

import pytest

from bethink.models.minilm import FOLDER


@pytest.mark.skipif(not (FOLDER / "model.onnx").is_file(), reason="the embedding model has not been made")
def test_the_demo_works_and_leaves_the_user_s_store_alone(tmp_path):
    env = {**os.environ, "BETHINK_DB": str(tmp_path / "mine.db"), "XDG_DATA_HOME": str(tmp_path / "data")}

    shown = subprocess.run(
        [sys.executable, "-m", "bethink", "demo"], capture_output=True, check=False, cwd=tmp_path, env=env, timeout=120
    )

    out = shown.stdout.decode()
    assert (shown.returncode, shown.stderr) == (0, b""), out
    assert "✗" not in out
    assert "nothing: " in out
    assert "All of it worked" in out
    assert list(tmp_path.iterdir()) == []
