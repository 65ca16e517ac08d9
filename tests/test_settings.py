"""Where settings come from, who may set which, and what is refused."""

from pathlib import Path
from zoneinfo import ZoneInfo

import platformdirs
import pytest

import bethink
from bethink.errors import InvalidRequest
from bethink.settings import OF_PROJECTS, SETTINGS, read_settings, system_zone


@pytest.fixture(autouse=True)
def own(tmp_path, monkeypatch):
    """The user's own configuration file, not there yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = tmp_path / "config" / "bethink" / "config.toml"
    file.parent.mkdir(parents=True)
    return file


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "cloned"
    folder.mkdir()
    return folder


def read(folder, text="", **environment):
    (folder / ".bethink.toml").write_text(text, "utf-8")
    return read_settings(environment=environment, folder=folder)


def test_a_project_says_where_its_memories_go_which_tools_are_shown_and_its_zone(repository):
    settings = read(repository, 'namespace = "team:web"\ntools = "full"\ntimezone = "Europe/Paris"')

    assert [settings[name] for name in OF_PROJECTS] == ["team:web", "full", "Europe/Paris"]


@pytest.mark.parametrize("name", [s.name for s in SETTINGS if s.name not in OF_PROJECTS])
def test_a_project_that_sets_anything_else_is_refused_and_the_user_told_where_to_put_it(repository, own, name):
    with pytest.raises(InvalidRequest, match=rf"^{name} cannot be set in .*\.bethink\.toml") as told:
        read(repository, f'tools = "core"\n{name} = "x"')

    assert told.value.hint == f"Put it in {own} or set BETHINK_{name.upper()}."


def test_a_name_that_is_no_setting_is_refused_in_a_project_too(repository):
    with pytest.raises(InvalidRequest, match="secret is not a setting"):
        read(repository, 'secret = "allow"')


def test_the_users_own_file_may_set_everything_and_a_project_wins_over_it(repository, own):
    own.write_text('embedder = "none"\nnamespace = "user:ann"', "utf-8")

    settings = read(repository, 'namespace = "team:web"')

    assert (settings["embedder"], settings["namespace"]) == ("none", "team:web")


@pytest.mark.parametrize(
    "name", ["", "CET-1CEST", "EST5EDT,M3.2.0,M11.1.0", "Nowhere/City", "/etc/passwd", "..", "Europe"]
)
def test_a_variable_that_names_no_zone_leaves_the_systems(tmp_path, name):
    (tmp_path / "localtime").symlink_to(tmp_path / "zoneinfo" / "Europe" / "Paris")

    assert system_zone(name, tmp_path) == ZoneInfo("Europe/Paris")


@pytest.mark.parametrize("name", ["Asia/Tokyo", ":Asia/Tokyo"])
def test_a_variable_that_names_a_zone_is_used(tmp_path, name):
    assert system_zone(name, tmp_path) == ZoneInfo("Asia/Tokyo")


def test_where_the_systems_zone_is_no_link_its_name_is_read(tmp_path):
    (tmp_path / "localtime").write_bytes(b"TZif2")
    (tmp_path / "timezone").write_text("Europe/Paris\n", "utf-8")

    assert system_zone("", tmp_path) == ZoneInfo("Europe/Paris")


@pytest.mark.parametrize("content", [b"", b"Nowhere/City\n", b"\xff"])
def test_a_system_that_names_no_zone_has_utc(tmp_path, content):
    (tmp_path / "timezone").write_bytes(content)

    assert system_zone("", tmp_path) == system_zone("", tmp_path / "missing") == ZoneInfo("UTC")


@pytest.mark.parametrize("name", ["CET-1CEST", "Europe", "../UTC"])
def test_a_zone_that_is_set_and_does_not_exist_is_refused(repository, name):
    with pytest.raises(InvalidRequest, match="is not a time zone"):
        _ = read(repository, f'timezone = "{name}"').timezone


@pytest.mark.failure("F056")
def test_the_store_lies_in_the_users_data_folder_and_never_in_the_package(repository, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    db = read(repository).db

    assert db.name == "memories.db"
    assert db.is_relative_to(platformdirs.user_data_dir("bethink", appauthor=False))
    assert not db.is_relative_to(Path(bethink.__file__).parent)


@pytest.mark.failure("F115")
def test_a_tilde_in_a_path_stands_for_the_users_home(repository):
    found = read(repository, BETHINK_DB="~/notes/own.db", BETHINK_EXPORTS="~/exports")

    assert (found.db, found.exports) == (Path.home() / "notes" / "own.db", Path.home() / "exports")


NO_PATHS = [("a\0b", "a NUL character"), ("a\ud800b", "U+D800"), ("~nobody-of-that-name/b", "the home of no user")]


@pytest.mark.parametrize("name", ["db", "exports"])
@pytest.mark.parametrize(("text", "said"), NO_PATHS)
def test_a_text_that_can_be_no_path_is_refused_saying_what_is_wrong_with_it(repository, name, text, said):
    with pytest.raises(InvalidRequest) as told:
        getattr(read(repository, **{f"BETHINK_{name.upper()}": text}), name)

    assert str(told.value).startswith(f"{name}: {text!r} ")
    assert said in str(told.value)
    assert told.value.hint


@pytest.mark.parametrize(("text", "said"), NO_PATHS)
def test_the_library_opens_no_text_that_can_be_no_path(text, said):
    with pytest.raises(InvalidRequest) as told:
        bethink.Bethink.open(text)

    assert str(told.value).startswith(f"path: {text!r} ")
    assert said in str(told.value)


def test_the_variables_of_the_benchmarks_are_left_to_them(repository):
    read(repository, BETHINK_BENCH_DATA="data")

    with pytest.raises(InvalidRequest, match="BETHINK_BENCHDATA is not a setting"):
        read(repository, BETHINK_BENCHDATA="data")


@pytest.mark.parametrize("text", ["soon", "", "-1", "nan", "inf", "-inf"])
def test_a_wait_that_is_no_number_of_seconds_is_refused(repository, text):
    with pytest.raises(InvalidRequest, match=r"busy_timeout: .* is not a number of seconds"):
        _ = read(repository, BETHINK_BUSY_TIMEOUT=text).busy_seconds


@pytest.mark.parametrize("text", ["soon", "", "0", "-1", "1.5", "٣", "9" * 30])
def test_a_log_that_is_kept_for_no_number_of_days_is_refused(repository, text):
    with pytest.raises(InvalidRequest, match=r"log_days: .* is not a number of days"):
        _ = read(repository, BETHINK_LOG_DAYS=text).log_days


def test_a_log_is_kept_for_ninety_days_unless_told_otherwise(repository):
    assert read(repository).log_days == 90
    assert read(repository, BETHINK_LOG_DAYS="7").log_days == 7


def test_a_wait_may_be_none(repository):
    assert read(repository, BETHINK_BUSY_TIMEOUT="0").busy_seconds == 0


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("BETHINK_NAMESPCE", "Did you mean BETHINK_NAMESPACE? `bethink config` lists every setting."),
        ("BETHINK_TIMEZONES", "Did you mean BETHINK_TIMEZONE? `bethink config` lists every setting."),
        ("BETHINK_FOO", "`bethink config` lists every setting."),
        ("BETHINK_API_KEY", "`bethink config` lists every setting."),
    ],
)
def test_a_name_that_is_near_to_no_setting_is_compared_with_none(repository, variable, hint):
    with pytest.raises(InvalidRequest) as wrong:
        read(repository, **{variable: "x"})

    assert wrong.value.hint == hint
