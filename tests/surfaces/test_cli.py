"""The command line: what it prints, its exit codes, its streams, what it loads."""

import asyncio
import json
import os
import shlex
import sqlite3
import subprocess
import sys
import types
from contextlib import closing

import click
import pytest

from bethink import __version__
from bethink.app import open_app
from bethink.engine import Bethink
from bethink.operation import operations
from bethink.settings import SETTINGS, read_settings
from bethink.surfaces.cli import COMMANDS, main

from .conftest import command, hello, options

pytestmark = pytest.mark.usefixtures("bare")

HAND_WRITTEN = {"import", "eval", "calibrate", "config", "demo"}


@pytest.fixture
def db(tmp_path):
    return tmp_path / "store" / "memories.db"


@pytest.fixture
def bethink(db, capsys):
    """Run one command on a store searched by keyword; return exit code, output and errors."""

    def run(*arguments, place=()):
        code = main([*options(db, *place), *map(str, arguments)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def answered(bethink):
    """Run one command with --json; return its answer."""

    def run(*arguments, place=()):
        code, out, err = bethink(*arguments, "--json", place=place)
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


@pytest.fixture
def stored(answered):
    """The handle of a memory, in a store that is there."""
    return answered("store", "Ann likes tabs.")["handle"]


def process(db, *arguments, **how):
    return subprocess.run(command(db, *arguments), capture_output=True, check=False, timeout=60, **how)


def test_every_operation_with_a_command_line_is_listed_in_words_of_its_own():
    declared = {op.name: op.title for op in operations(Bethink).values() if "cli" in op.surfaces}

    assert set(COMMANDS) == set(declared) | HAND_WRITTEN
    assert [name for name, title in declared.items() if not title.startswith(COMMANDS[name].rstrip("."))] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_describes_itself_and_each_of_its_options(bethink, name):
    code, out, err = bethink(name, "--help")

    assert (code, err) == (0, "")
    assert "--json" in out or name == "demo"


def test_every_option_says_what_it_means():
    from bethink.surfaces.operation_commands import command

    options = [
        (name, p) for name in set(COMMANDS) - HAND_WRITTEN for p in command(name).params if isinstance(p, click.Option)
    ]

    assert [(name, option.name) for name, option in options if not option.help] == []


def test_the_version_is_the_package_s(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"bethink {__version__}\n"


def test_a_memory_is_stored_found_read_changed_retired_and_restored(answered):
    stored = answered(
        "store", "We chose PostgreSQL for its row-level security.", "--kind", "decision", "--tag", "db,sql"
    )
    handle = stored["handle"]

    found = answered("recall", "why PostgreSQL?")
    answered("update", handle, "--title", "The database", "--tags", "db", "--confidence", "0.9", "--reason", "clearer")
    got = answered("get", handle, "--versions")
    retired = answered("forget", handle)
    empty = answered("list")
    restored = answered("restore", handle)

    assert [hit["handle"] for hit in found["hits"]] == [handle]
    (memory,) = got["memories"]
    assert (memory["kind"], memory["title"], memory["tags"], memory["version"]) == (
        "decision",
        "The database",
        ["db"],
        2,
    )
    assert [version["tags"] for version in got["versions"][stored["id"]]] == [["db", "sql"]]
    assert (retired["retired"], empty["total"], restored["restored"]) == ([stored["id"]], 0, [stored["id"]])


def test_json_is_exactly_what_the_operation_returns(answered, db):
    answered("store", "Deploys go out on Tuesdays.", "--tag", "ops")

    async def from_the_library():
        settings = read_settings(flags={"db": str(db), "namespace": "team", "embedder": "none"}, environment={})
        engine = open_app(settings, waits=True)
        page = await engine.list(tags=["ops"])
        await engine.close()
        return page.model_dump(mode="json", exclude_none=True)

    assert answered("list", "--tags", "ops") == asyncio.run(from_the_library())


def test_json_before_the_command_is_json_after_it(bethink):
    bethink("store", "one")

    assert json.loads(bethink("--json", "list")[1])["total"] == 1


def test_lists_are_repeated_or_separated_by_commas_and_objects_are_json(answered):
    handle = answered(
        "store",
        "x",
        "--tag",
        "a,b",
        "--tag",
        "c",
        "--metadata",
        '{"n": 1}',
        "--evidence",
        '{"quote": "q, r"}',
        "--pinned",
    )["handle"]

    (memory,) = answered("get", handle)["memories"]

    assert (memory["tags"], memory["metadata"], memory["pinned"]) == (["a", "b", "c"], {"n": 1}, True)
    assert [evidence["quote"] for evidence in memory["evidence"]] == ["q, r"]


def test_clear_sets_a_field_to_nothing(answered):
    handle = answered("store", "x", "--context", "told by Ann", "--tag", "a")["handle"]

    changed = answered("update", handle, "--clear", "context", "--clear", "tags")["changed"]

    assert sorted(changed) == ["context", "tags"]


def test_people_read_tables_and_hits(bethink):
    bethink(
        "store", "We chose PostgreSQL for its row-level security.", "--title", "Which database", "--kind", "decision"
    )

    outputs = [
        bethink(*arguments)
        for arguments in (["list"], ["recall", "PostgreSQL"], ["stats"], ["namespaces"], ["recall", "cheese"])
    ]

    assert all((code, err) == (0, "") for code, _, err in outputs)
    listed, found, stats, namespaces, nothing = (out for _, out, _ in outputs)
    assert "Which database" in listed
    assert "1 of 1" in listed
    assert "row-level security" in found
    assert stats.startswith("ok\n1 memory in reach\n1 in use: 0 pinned, 0 dormant; 0 expired\n")
    assert ["size", "vectors", "0", "B"] in [line.split() for line in stats.splitlines()]
    heads, row = (line.split() for line in namespaces.splitlines())
    assert heads == ["namespace", "memories", "live", "pending", "size", "last", "write"]
    assert row[:6] == ["team", "1", "1", "1", "49", "B"]
    assert "nothing found" in nothing
    assert "\x1b" not in "".join(out for _, out, _ in outputs)


def test_a_whole_memory_is_read_without_a_cut(bethink):
    content = "word " * 2_000 + "end"
    bethink("store", content, "--tag", "x")
    handle = json.loads(bethink("list", "--json")[1])["memories"][0]["handle"]

    _, out, _ = bethink("get", handle)

    assert content in " ".join(out.split())


def test_what_a_terminal_would_act_on_or_hide_is_shown(bethink):
    bethink("store", "bad \u202e order \x9b31m \u200b gap", "--title", "t\u200b")
    handle = json.loads(bethink("list", "--json")[1])["memories"][0]["handle"]

    human = "".join(bethink(*arguments)[1] for arguments in (["list"], ["get", handle], ["recall", "order gap"]))
    machine = bethink("get", handle, "--json")[1]

    assert not set("\u202e\x9b\u200b") & set(human + machine)
    assert "⟨U+202E⟩" in human
    assert json.loads(machine)["memories"][0]["content"] == "bad \u202e order \x9b31m \u200b gap"


def test_a_cursor_is_printed_in_one_piece_and_continues(bethink, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    for n in range(3):
        bethink("store", f"memory {n}")

    _, out, _ = bethink("list", "--limit", "2")
    cursor = out.partition("--cursor ")[2].split("\n")[0]
    code, rest, _ = bethink("list", "--limit", "2", "--cursor", cursor)

    assert code == 0
    assert "memory 0" in rest


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["recal", "x"], 2, "Did you mean 'recall'"),
        (["recall", "--limt", "3", "x"], 2, "--limit"),
        (["recall", "x", "--limit", "many"], 2, "limit"),
        (["store", "x", "--kind", "thought"], 2, "kind"),
        (["store", "x", "--evidence", "{"], 2, "is not JSON"),
        (["recall", "two", "words"], 2, "unexpected extra argument"),
        (["get"], 2, "missing argument"),
        (["get", "00000000"], 3, ""),
        (["forget", "00000000"], 3, ""),
        (["forget", "00000000", "--reason", "leaked AKIAIOSFODNN7EXAMPLQ"], 3, "redacted"),
        (["update", "00000000", "--title", "x"], 3, "00000000"),
        (["import", "missing.md"], 3, "no file or folder"),
    ],
)
def test_a_failure_has_its_exit_code_and_says_what_to_do(bethink, arguments, code, said):
    bethink("store", "something")

    got, out, err = bethink(*arguments)

    assert got == code
    assert said in err + out
    assert "Traceback" not in err


@pytest.mark.usefixtures("stored")
def test_an_error_is_one_line_and_a_hint_that_names_commands_on_standard_error(bethink):
    assert bethink("recall", " ") == (
        2,
        "",
        "error: query: it is blank\nhint: Ask something, or use `bethink list` to see what is there.\n",
    )


@pytest.mark.usefixtures("stored")
def test_with_json_an_error_is_the_answer(bethink):
    code, out, err = bethink("recall", " ", "--json")

    assert (code, err) == (2, "")
    assert json.loads(out)["error"].keys() == {"code", "message", "hint"}
    assert json.loads(bethink("--json", "recal")[1])["error"]["code"] == "invalid_request"


@pytest.mark.parametrize(
    "asked",
    [
        "recall tabs",
        "list",
        "stats",
        "get 12345678",
        "forget 12345678",
        "restore 12345678",
        "update 12345678 --title x",
        "reembed",
        "reindex",
        "namespaces",
        "namespaces list --path team",
        "namespaces update --path team",
    ],
)
@pytest.mark.parametrize("named_by", ["--db", "BETHINK_DB"])
def test_a_store_that_is_named_and_not_there_is_not_made_by_a_command_that_stores_nothing(
    db, capsys, monkeypatch, asked, named_by
):
    monkeypatch.setenv("BETHINK_EMBEDDER", "none")
    if named_by == "BETHINK_DB":
        monkeypatch.setenv("BETHINK_DB", str(db))
    named = ["--db", str(db)] if named_by == "--db" else []

    code = main([*named, *asked.split()])

    told = capsys.readouterr()
    assert (code, told.out) == (3, "")
    assert (
        told.err == f"error: there is no store at {db}\nhint: Check {named_by}; the first store or import makes one.\n"
    )
    assert not db.parent.exists()


@pytest.mark.parametrize("asked", ["list", "namespaces", "stats", "recall tabs"])
def test_where_no_store_is_named_a_memory_that_holds_nothing_yet_is_empty(tmp_path, capsys, monkeypatch, asked):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("BETHINK_EMBEDDER", "none")

    assert (main(asked.split()), capsys.readouterr().err) == (0, "")


def test_a_changed_memory_is_a_conflict(answered, bethink):
    handle = answered("store", "x")["handle"]

    code, _, err = bethink("update", handle, "--title", "y", "--expected-version", "7")

    assert code == 4
    assert "version" in err


def test_a_namespace_that_is_there_already_is_a_conflict(bethink):
    bethink("namespaces", "create", "--path", "team:web")

    code, _, err = bethink("namespaces", "create", "--path", "team:web")

    assert code == 4
    assert "'team:web' exists already" in err


def test_a_locked_store_is_busy(bethink, db, monkeypatch):
    bethink("store", "x")
    monkeypatch.setenv("BETHINK_BUSY_TIMEOUT", "0.05")
    with closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("begin immediate")

        code, _, err = bethink("store", "y")

    assert code == 5
    assert err.startswith("error: ")


def test_a_confined_process_names_no_namespace_and_sees_none(answered, bethink):
    answered("store", "outside")
    place = ["--place", "team/agent:writer", "--read", "exact"]

    code, _, err = bethink("store", "x", "--namespace", "team", place=place)
    listed = answered("list", place=place)

    assert code == 6
    assert "namespace" in err
    assert (listed["memories"], listed["total"]) == ([], 0)
    assert "namespaces" not in listed


@pytest.mark.parametrize(
    "place",
    [
        ["--place", "bad place!"],
        ["--place", "team", "--read", "everything"],
        ["--place", "team;can=admin"],
        ["--place", "team", "--ceiling", "secret"],
        ["--place", "team", "--can", "fly"],
        ["--read", "exact"],
        ["--can", "write"],
        ["--place", " "],
        ["--place", "team", "--namespace", "team"],
    ],
)
@pytest.mark.parametrize("command", [[], ["list"]])
def test_a_malformed_principal_refuses_to_start(bethink, place, command):
    code, out, err = bethink(*command, place=place)

    assert (code, out) == (2, "")
    assert err.startswith("error: ")


@pytest.mark.parametrize("command", [[], ["list"], ["config"]])
def test_a_namespace_does_not_go_with_a_principal_of_the_environment(bethink, monkeypatch, command):
    monkeypatch.setenv("BETHINK_PRINCIPAL", "place=team:acme")

    code, _, err = bethink(*command)

    assert code == 2
    assert "--namespace does not go with a principal, which BETHINK_PRINCIPAL sets" in err


def test_erasing_without_a_terminal_takes_the_token_of_the_preview(answered, bethink):
    handle = answered("store", "x")["handle"]

    preview = answered("forget", handle, "--hard")["preview"]
    _, told, _ = bethink("forget", handle, "--hard")
    erased = answered("forget", handle, "--hard", "--token", preview["token"])

    assert preview["memories"] == 1
    assert "--token" in told
    assert len(erased["erased"]) == 1
    assert answered("stats")["memories"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("typed", "erased"), [(b"y\n", True), (b"n\n", False), (b"\x03\n", False)])
def test_erasing_at_a_terminal_shows_what_would_go_and_asks(answered, db, tmp_path, typed, erased):
    import pty

    handle = answered("store", "x")["handle"]
    terminal, inside = pty.openpty()

    with subprocess.Popen(
        command(db, "forget", handle, "--hard"), stdin=inside, stdout=subprocess.PIPE, stderr=inside, cwd=tmp_path,
        start_new_session=True, preexec_fn=_take_terminal,  # noqa: PLW1509  # no thread holds a lock here
    ) as forgetting:  # fmt: skip
        os.close(inside)
        asked = b""
        while b"[y/N]" not in asked:
            asked += os.read(terminal, 1024)
        os.write(terminal, typed)
        out = forgetting.stdout.read()
    os.close(terminal)

    assert b"would erase for good: 1 fact" in out
    assert (forgetting.returncode == 0) == erased
    assert answered("stats")["memories"] == (0 if erased else 1)


def _take_terminal():
    """Make standard input the terminal that sends the signals of control keys."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_an_unexpected_fault_is_one_line_with_an_id_that_the_log_has_too(bethink, tmp_path, monkeypatch):
    @click.command()
    def broken():
        raise ZeroDivisionError("nobody expected this")

    monkeypatch.setitem(sys.modules, "bethink.surfaces.demo", types.SimpleNamespace(command=broken))
    monkeypatch.setenv("BETHINK_LOG", f"info:{tmp_path / 'logs' / 'bethink.log'}")

    code, out, err = bethink("demo")

    incident = err.split()[3]
    log = (tmp_path / "logs" / "bethink.log").read_text()
    assert (code, out) == (1, "")
    assert err.startswith(f"error: internal error {incident}\nhint: ")
    assert "nobody expected" not in err
    assert incident in log
    assert "ZeroDivisionError: nobody expected this" in log


def test_config_names_every_setting_its_value_and_its_origin(bethink, monkeypatch, db):
    monkeypatch.setenv("BETHINK_TIMEZONE", "Europe/Paris")

    code, out, err = bethink("config", "--json")

    said = json.loads(out)
    listed = {setting["name"]: (setting["value"], setting["origin"]) for setting in said["settings"]}
    assert (code, err) == (0, "")
    assert list(listed) == [setting.name for setting in SETTINGS]
    assert listed["db"] == (str(db), "flag")
    assert listed["timezone"] == ("Europe/Paris", "BETHINK_TIMEZONE")
    assert listed["secrets"] == ("redact", "default")
    assert said["places"]["store"] == str(db)
    assert "Europe/Paris" in bethink("config")[1]


def test_an_unknown_setting_is_refused_and_config_still_lists_the_known_ones(bethink, monkeypatch):
    monkeypatch.setenv("BETHINK_NAMESPCE", "x")

    code, out, err = bethink("config")

    assert code == 2
    assert "BETHINK_NAMESPACE" in err
    assert "busy_timeout" in out
    assert bethink("list")[0] == 2


LOCALES = [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "cp1252"}]
HOSTILE = "★ Привет 日本語 👩‍👧 café"


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("piped", [True, False])
def test_any_text_goes_in_and_out_whatever_the_locale(db, tmp_path, locale, piped):
    env = {**os.environ, **locale}
    given = ("store", "-") if piped else ("store", HOSTILE)

    stored = process(db, *given, input=f"{HOSTILE}\n".encode() if piped else b"", env=env, cwd=tmp_path)
    listed = process(db, "list", "--detail", "full", env=env, cwd=tmp_path)
    machine = process(db, "list", "--detail", "full", "--json", env=env, cwd=tmp_path)

    assert (stored.returncode, stored.stderr) == (0, b"")
    assert HOSTILE in listed.stdout.decode()
    assert json.loads(machine.stdout)["memories"][0]["text"] == HOSTILE


def test_bytes_that_are_not_utf8_are_replaced_and_said(db, tmp_path):
    stored = process(db, "store", "--json", input=b"caf\xe9 au lait", cwd=tmp_path)

    assert json.loads(stored.stdout)["cleaned"] == ["content: 1 character replaced"]


def test_a_reader_that_leaves_early_is_no_error_report(db, tmp_path):
    process(db, "store", input=b"x " * 300_000, cwd=tmp_path)

    with subprocess.Popen(
        command(db, "list", "--detail", "full"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as lister:
        lister.stdout.read(1)
        lister.stdout.close()
        err = lister.stderr.read()

    assert err == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")  # noqa: PTH110
@pytest.mark.parametrize(
    "arguments",
    [
        "store x",
        "list --json",
        "get aaaaaaaa --json",
        "config",
        "import notes.md",
        "demo",
        "--help",
        "--version",
        *(f"{name} --help" for name in ("list", "import", "config", "demo")),
    ],
)
def test_an_answer_that_a_full_disk_does_not_take_is_told_and_is_no_fault(db, tmp_path, arguments):
    (tmp_path / "notes.md").write_text("# A\nx")
    process(db, "store", "Ann likes tabs.")

    with open("/dev/full", "wb") as full:  # noqa: PTH123
        ran = subprocess.run(
            command(db, *arguments.split()), stdout=full, stderr=subprocess.PIPE, check=False, cwd=tmp_path, timeout=60
        )

    assert ran.returncode == 1
    assert b"standard output cannot be written" in ran.stderr
    assert b"internal" not in ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="no shell to close it with")
@pytest.mark.parametrize("to", [">&-", "| true"])
def test_an_answer_that_nobody_takes_is_no_fault(db, tmp_path, to):
    process(db, "store", "Ann likes tabs.")
    recall = shlex.join([*command(db, "--json"), "recall", " "])
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}

    ran = subprocess.run(
        ["/bin/sh", "-c", f"{recall} {to}"], capture_output=True, check=False, env=variables, cwd=tmp_path, timeout=60
    )

    assert b"Traceback" not in ran.stderr
    assert b"internal" not in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["store", "-5 degrees"], "A text that begins with '-' goes after '--'."),
        (["store", "x", "--db", "y"], "--db stands before the command."),
        (["store", "x", "--tittle", "y"], "Did you mean '--title'?"),
    ],
)
def test_an_option_that_is_none_is_told_where_it_belongs(bethink, arguments, hint):
    code, _, err = bethink(*arguments)

    assert code == 2
    assert hint in err


def test_a_folder_is_not_taken_for_a_store(tmp_path, capsys):
    code = main(["--db", str(tmp_path), "--embedder", "none", "store", "x"])

    assert code == 5
    assert f"{tmp_path} is a folder" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b", "~nobody-of-that-name/b"])
@pytest.mark.parametrize(
    ("arguments", "name"),
    [(["--db", "{}", "store", "x"], "db"), (["--db", "{}", "config"], "db"), (["import", "{}"], "import")],
)
def test_a_text_that_can_be_no_path_is_told_by_the_name_of_what_it_was_given_for(capsys, arguments, name, text):
    code = main([argument.format(text) for argument in arguments])

    assert (code, capsys.readouterr().err.partition(": ")[2].startswith(f"{name}: ")) == (2, True)


def test_a_log_whose_file_can_be_no_path_is_refused(capsys, tmp_path):
    config = tmp_path / "config" / "bethink" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('log = "info:a\\u0000b"')

    assert main(["list"]) == 2
    assert "error: log: " in capsys.readouterr().err


TOO_LONG = "a" * 300  # stands for every path that the system does not let one look at


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--db", TOO_LONG, "list"], 5), (["--db", TOO_LONG, "store", "x"], 5), (["import", TOO_LONG], 2)],
)
def test_a_path_that_cannot_be_looked_at_is_told_with_the_systems_reason(capsys, arguments, code):
    told = main([*options("memories.db"), *arguments])

    assert (told, "File name too long" in capsys.readouterr().err) == (code, True)


def test_a_settings_file_that_cannot_be_looked_at_is_told_and_not_passed_over(capsys, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", f"/{TOO_LONG}")

    assert main(["list"]) == 2
    assert "error: config.toml cannot be read: " in capsys.readouterr().err


BUDGET = """
import sys
from bethink.surfaces.cli import main
code = main(sys.argv[2:])
loaded = sorted(set(sys.argv[1].split(",")) & set(sys.modules))
sys.exit(f"loaded {loaded}" if loaded or code else 0)
"""


@pytest.mark.parametrize(
    ("arguments", "unloaded"),
    [
        (["--help"], "mcp,numpy,pydantic,rich,sqlite3,onnxruntime,asyncio"),
        (["--version"], "mcp,numpy,pydantic,rich,sqlite3,onnxruntime,asyncio"),
        (["config"], "mcp,numpy,pydantic,sqlite3,onnxruntime,asyncio"),
        (["store", "--help"], "mcp,onnxruntime,tokenizers"),
        (["store", "x"], "mcp,onnxruntime,tokenizers,httpx2"),
        (["list"], "mcp,onnxruntime,tokenizers,httpx2"),
        (["recall", "x", "--json"], "mcp,onnxruntime,rich"),
        (["stats"], "mcp,onnxruntime,tokenizers,httpx2"),
        (["import", "notes.md"], "mcp,onnxruntime,tokenizers,httpx2"),
    ],
)
@pytest.mark.usefixtures("stored")
def test_a_command_loads_only_what_it_needs(db, tmp_path, arguments, unloaded):
    (tmp_path / "notes.md").write_text("# A\nx")

    budgeted = [sys.executable, "-c", BUDGET, unloaded, *options(db), *arguments]
    ran = subprocess.run(budgeted, capture_output=True, check=False, text=True, cwd=tmp_path, timeout=60)

    assert (ran.returncode, ran.stderr) == (0, "")


OFFLINE = """
import sys
from bethink.surfaces.cli import main

def refuse(event, arguments):
    if event in {"socket.connect", "socket.sendto", "socket.getaddrinfo"}:
        raise SystemExit(f"reached for the network: {event} {arguments}")

sys.addaudithook(refuse)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.failure("F146")
@pytest.mark.parametrize("arguments", [["store", "Ann likes tabs."], ["recall", "what does Ann like?"], ["stats"]])
@pytest.mark.usefixtures("stored")
def test_nothing_is_sent_anywhere(db, tmp_path, arguments):
    offline = [sys.executable, "-c", OFFLINE, "--db", str(db), "--embedder", "minilm", *arguments]

    ran = subprocess.run(offline, capture_output=True, check=False, text=True, cwd=tmp_path, timeout=60)

    assert (ran.returncode, ran.stderr) == (0, "")


def test_without_a_command_it_serves_mcp_until_its_input_ends(db, tmp_path):
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("test")}

    served = process(db, input=json.dumps(asked).encode() + b"\n", cwd=tmp_path)

    (answer,) = map(json.loads, served.stdout.splitlines())
    assert (served.returncode, answer["id"], answer["result"]["serverInfo"]["name"]) == (0, 1, "bethink")
