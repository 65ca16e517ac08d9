"""A server that runs follows its settings where it can, and says where it cannot."""

import pytest

from bethink.app import open_app
from bethink.settings import read_settings
from bethink.surfaces.live import Live
from bethink.surfaces.mcp import Surface

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder that can be deleted."""
    working = tmp_path / "working"
    working.mkdir()
    monkeypatch.chdir(working)
    return working


@pytest.fixture
def configure(tmp_path):
    def write(text):
        file = tmp_path / "config" / "bethink" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    return write


@pytest.fixture
def applied():
    return []


def test_a_working_folder_that_is_deleted_stops_nothing(folder, configure, applied):
    live = Live(read_settings())
    folder.rmdir()

    live.follow(applied.append)
    configure('tools = "full"')
    live.follow(applied.append)

    assert [settings["tools"] for settings in applied] == ["full"]


async def test_settings_are_applied_after_the_working_folder_was_deleted(tmp_path, folder, configure):
    settings = read_settings(flags={"db": str(tmp_path / "memories.db"), "embedder": "none"})
    engine = open_app(settings, waits=False)
    surface = Surface(engine, settings)
    folder.rmdir()

    configure('secrets = "refuse"')
    await surface._list_tools(None, None)

    assert engine.ports.policy.secrets == "refuse"
    await engine.close()


def test_a_file_that_cannot_be_looked_at_leaves_the_settings(applied, monkeypatch):
    live = Live(read_settings())
    monkeypatch.setenv("XDG_CONFIG_HOME", "/" + "x" * 300)

    live.follow(applied.append)

    assert applied == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("db", "other.db"), ("embedder", "none"), ("synchronous", "normal"), ("busy_timeout", "5"), ("log", "debug")],
)
def test_what_the_server_was_opened_with_needs_a_restart(configure, applied, caplog, name, value):
    live = Live(read_settings())
    configure(f'{name} = "{value}"')

    live.follow(applied.append)
    live.follow(applied.append)

    assert applied == []
    assert caplog.messages == [f"changed, but needs a restart: {name}"]


def test_of_several_changes_each_is_said_to_be_in_use_or_to_wait(configure, applied, caplog):
    before = read_settings()
    live = Live(before)
    configure('tools = "full"\ndb = "/elsewhere/memories.db"\nembedder = "none"')

    live.follow(applied.append)
    live.follow(applied.append)

    (now,) = applied
    assert (now["tools"], now["embedder"], now.exports) == ("full", "minilm", before.exports)
    assert caplog.messages == ["the changed settings are in use", "changed, but needs a restart: db, embedder"]
