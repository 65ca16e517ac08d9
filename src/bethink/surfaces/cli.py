"""The command line: global options, and commands that are loaded when they are called."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from itertools import takewhile
from typing import Final, Unpack

import click

from bethink import __version__
from bethink.errors import BethinkError, InvalidRequest

from .session import Command, Options, Session, Unwritten, flags, speak_utf8, tell

# What `--help` lists without loading anything; a test holds it to what the operations declare.
COMMANDS: Final = {
    "store": "Remember something that will matter later.",
    "recall": "Find what is remembered about a question, best first.",
    "get": "Read whole memories by id.",
    "list": "List memories by exact filters, newest first by default.",
    "ask": "Answer one question in a few cited sentences.",
    "entities": "See what memories speak of (people, projects, files, tools, places), and put names right.",
    "explore": "Count what is there by kind, tag, entity, month and whatever else can be filtered.",
    "excerpt": "Find a text inside one long memory.",
    "related": "Find the memories nearest to a given one.",
    "gaps": "List the questions that came again and found nothing.",
    "update": "Correct or extend a memory.",
    "forget": "Take memories out of use.",
    "restore": "Bring memories back that were retired.",
    "relate": "Connect two memories.",
    "edges": "List edges, newest first.",
    "graph": "Follow edges from one or more memories.",
    "unrelate": "Delete an edge between two memories, or correct it.",
    "stats": "Count what is stored in reach.",
    "namespaces": "List the namespaces in reach, create one, or change one.",
    "import": "Store Markdown, text and JSON Lines files.",
    "reembed": "Rebuild the vectors after the embedder was changed.",
    "reindex": "Bring the keyword index to this version after an update.",
    "eval": "Ask golden questions of the store and measure how well they are answered.",
    "calibrate": "Measure under which score nothing answers in a namespace.",
    "config": "Print every setting with its value and where it came from.",
    "demo": "See it work on real text, in a temporary folder.",
}
_WRITTEN: Final = {
    "import": "import_command",
    "eval": "eval_command",
    "calibrate": "calibrate_command",
    "config": "config_command",
    "demo": "demo",
}
_ABOUT: Final = """A memory that lasts, for AI agents.

Without a command it is an MCP server on standard input and output: what a client starts. Answers go to standard output,
what went wrong to standard error.

\b
Exit codes: 0 done, 1 failed, 2 invalid, 3 not found, 4 conflict,
5 busy or unavailable, 6 forbidden, 7 an evaluation fell short, 130 interrupted.
"""
_INTERRUPTED: Final = 130


class _Commands(Command, click.Group):
    """Loads a command when it is called, so that help and errors come at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; an unknown name is an error that says the nearest."""
        del ctx
        if cmd_name.startswith("-"):
            return None
        if cmd_name not in COMMANDS:
            near = difflib.get_close_matches(cmd_name, COMMANDS, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]!r}? " if near else ""
            raise InvalidRequest(f"{cmd_name!r} is not a command", hint=f"{hint}`bethink --help` lists them.")
        if cmd_name in _WRITTEN:
            written: click.Command = import_module(f".{_WRITTEN[cmd_name]}", __package__).command
            return written
        from .operation_commands import command

        return command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_Commands, invoke_without_command=True, help=_ABOUT, context_settings={"max_content_width": 100})
@click.option("--db", metavar="PATH", help="The store; default: memories.db in the user's data folder.")
@click.option("--namespace", metavar="PATH", help="Where the owner writes; default: the repository, else user:LOGIN.")
@click.option("--embedder", metavar="SPEC", help="What embeds: minilm, none, hub:ORG/NAME ...; see the settings.")
@click.option(
    "--reranker", metavar="SPEC", help="What reads the best once more: none, hub:ORG/NAME ...; see the settings."
)
@click.option("--place", metavar="PATH", help="Confine this process to a namespace, which it then can never name.")
@click.option("--read", metavar="FORM", multiple=True, help="With --place: ancestors, exact[:PATH] or subtree[:PATH].")
@click.option("--write", metavar="FORM", multiple=True, help="With --place: the same for what may be changed.")
@click.option("--ceiling", metavar="LEVEL", help="With --place: the highest access level that is seen.")
@click.option("--can", metavar="LIST", help="With --place: of write, erase, admin; or none.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON; every command that answers takes it too.")
@click.version_option(__version__, prog_name="bethink", message="%(prog)s %(version)s")
@click.pass_context
def bethink(ctx: click.Context, /, *, as_json: bool, **options: Unpack[Options]) -> int:
    """Read the global options; without a command, serve."""
    ctx.obj = Session(flags(options), as_json)
    return 0 if ctx.invoked_subcommand else _serve(ctx.obj)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `arguments` (default: the process') and return the exit code."""
    speak_utf8()
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in takewhile(lambda argument: argument != "--", given)
    try:
        return bethink.main(given, prog_name="bethink", standalone_mode=False) or 0
    except Unwritten as error:
        return tell(error, as_json=False)
    except BethinkError as error:
        return tell(error, as_json=as_json)
    except click.UsageError as wrong:
        return tell(_usage(wrong), as_json=as_json)
    except click.Abort:
        return _INTERRUPTED
    except Exception as fault:  # noqa: BLE001  # the edge of the process: anything that comes here is a bug
        return _bug(fault, as_json=as_json)


def _serve(session: Session) -> int:
    settings = session.settings()
    if sys.stdin.isatty():
        click.echo("Bethink speaks MCP here and waits for a client; `bethink --help` lists the commands.", err=True)
    from .stdio import serve

    serve(settings)
    return 0


def _usage(wrong: click.UsageError) -> InvalidRequest:
    message = wrong.format_message().rstrip(".")
    where = wrong.ctx.command_path if wrong.ctx else "bethink"
    hint = f"`{where} --help` says what is accepted."
    if isinstance(wrong, click.NoSuchOption) and (place := _place_of(wrong.option_name)):
        message, hint = f"no such option {wrong.option_name!r}", f"{place} {hint}"
    return InvalidRequest(message[:1].lower() + message[1:], hint=hint)


def _place_of(option: str) -> str:
    """Say where a word belongs that a command does not take as an option."""
    if any(option in parameter.opts for parameter in bethink.params):
        return f"{option} stands before the command."
    return "" if option.startswith("--") else "A text that begins with '-' goes after '--'."


def _bug(fault: Exception, *, as_json: bool) -> int:
    """Name what nobody expected; its traceback goes to the log where that is a file."""
    import logging

    name = os.urandom(4).hex()
    logger = logging.getLogger("bethink")
    if not logger.handlers:
        with suppress(BethinkError):
            Session({}).settings()
    hint = "This is a fault of Bethink's. Set BETHINK_LOG=info:FILE and repeat: that file then has the details."
    if any(isinstance(handler, logging.FileHandler) for handler in logger.handlers):
        logger.error("internal error %s", name, exc_info=fault)
        hint = f"This is a fault of Bethink's; the log has the details under {name}."
    return tell(BethinkError(f"internal error {name}", hint=hint), as_json=as_json)
