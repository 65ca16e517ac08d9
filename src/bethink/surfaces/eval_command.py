"""`bethink eval`: golden questions asked of the store, figures, a comparison with a saved run, an exit code for CI."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypedDict, Unpack

import click

from bethink import __version__
from bethink.engine import Bethink
from bethink.errors import InvalidRequest
from bethink.evaluation.comparing import Comparison, compared
from bethink.evaluation.files import RUN, Run, check_new, read_golden, read_run, write
from bethink.evaluation.golden import Golden
from bethink.evaluation.metrics import MEASURES
from bethink.operations.evaluate import Evaluated
from bethink.settings import path_of

from .operation_commands import json_option, with_engine
from .progress import Bar
from .session import Command, Session, delivering, print_json

FELL_SHORT: Final = 7


class Wanted(TypedDict):
    """What is done with the figures."""

    save: str | None
    diff: str | None
    fail_under: Sequence[str]
    fail_on_regression: bool


class Made(TypedDict):
    """How a golden set is made."""

    generate: int | None
    out: str | None
    seed: int


class How(Wanted, Made):
    """Every option."""


@click.command("eval", cls=Command, params=[json_option()])
@click.argument("golden", metavar="GOLDEN.json", required=False)
@click.option("--save", metavar="FILE", help="Keep this run, to compare later ones with it.")
@click.option("--diff", metavar="FILE", help="Compare with a run that --save kept.")
@click.option("--fail-under", metavar="MEASURE=SHARE", multiple=True, help="Exit with 7 below it; can be repeated.")
@click.option("--fail-on-regression", is_flag=True, help="With --diff: exit with 7 when a measure is worse.")
@click.option(
    "--generate", metavar="N", type=click.IntRange(1, 10_000), help="Make N questions from the store instead."
)
@click.option("-o", "--out", metavar="FILE", help="With --generate: write them there, else to standard output.")
@click.option("--seed", metavar="NUMBER", type=int, default=0, help="With --generate: which ones. Default: 0.")
@click.pass_obj
def command(session: Session, /, *, golden: str | None, as_json: bool, **how: Unpack[How]) -> int:
    """Ask golden questions of the store and measure how well they are answered.

    GOLDEN.json holds {"questions": [...]}. Each has a `question` and what answers it: `expected` (ids or handles of
    memories), `sources` (ids of sources) or `phrases` (texts that the answer holds); or `unanswerable`: "off_topic" or
    "near". `filters` are those of a recall. Nothing that is asked here counts as read.

    With --generate the store makes its own questions: phrases that one memory alone holds, and questions about other
    things. They repeat the words of their answers, so that they test the index, not how well questions are answered.

    A measure is worse (--fail-on-regression) when chance alone would make so great a difference in less than one of 20
    runs. Exits with 7 when a figure falls short of what was asked.
    """
    session = session.answering(as_json=as_json)
    if how["generate"] is not None:
        return _generate(session, golden, how)
    if golden is None:
        raise InvalidRequest("GOLDEN.json is missing", hint="Name a golden set, or make one with --generate N -o FILE.")
    if how["out"]:
        raise InvalidRequest("--out goes with --generate", hint="Keep a run with --save.")
    return _evaluate(session, read_golden(path_of("golden", golden)), how)


def _evaluate(session: Session, golden: Golden, how: Wanted) -> int:
    least = dict(_least(text) for text in how["fail_under"])
    if how["fail_on_regression"] and not how["diff"]:
        raise InvalidRequest("--fail-on-regression goes with --diff", hint="Name the run to compare with.")
    before = read_run(path_of("diff", how["diff"])) if how["diff"] else None
    saved = path_of("save", how["save"]) if how["save"] else None
    if saved:
        check_new(saved, replaces=RUN)
    result = with_engine(session, lambda engine: _asked(engine, golden), creates=False)
    comparison = compared(before.outcomes, result.outcomes) if before else None
    if saved:
        write(saved, _run(result))
    short = _short(result, least)
    regressed = comparison.worse if comparison and how["fail_on_regression"] else []
    with delivering():
        _show(session, golden, result, comparison, [*short, *(f"{name} is worse than before" for name in regressed)])
    return FELL_SHORT if short or regressed else 0


async def _asked(engine: Bethink, golden: Golden) -> Evaluated:
    declared: Any = Bethink.evaluate
    questions = [one.model_dump(mode="json", exclude_defaults=True) for one in golden.questions]
    with Bar("eval", "questions") as bar:
        result = await declared.operation.call(engine, {"questions": questions}, progress=bar.report)
    assert isinstance(result, Evaluated)
    return result


def _generate(session: Session, golden: str | None, how: How) -> int:
    if golden is not None or how["save"] or how["diff"] or how["fail_under"] or how["fail_on_regression"]:
        raise InvalidRequest("--generate makes questions and asks none", hint="Then run `bethink eval` with its file.")
    out = path_of("out", how["out"]) if how["out"] else None
    if out:
        check_new(out)

    async def made(engine: Bethink) -> Golden:
        declared: Any = Bethink.golden
        with Bar("generate", "questions") as bar:
            arguments = {"count": how["generate"], "seed": how["seed"]}
            found = await declared.operation.call(engine, arguments, progress=bar.report)
        assert isinstance(found, Golden)
        return found

    found = with_engine(session, made, creates=False)
    if out:
        write(out, found)
    with delivering():
        _show_made(session, found, out)
    return 0


def _least(text: str) -> tuple[str, float]:
    """Read MEASURE=SHARE."""
    name, _, value = text.partition("=")
    if name.strip() not in MEASURES:
        raise InvalidRequest(f"--fail-under: {name!r} is not measured", hint=f"Use any of {', '.join(MEASURES)}.")
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InvalidRequest(f"--fail-under: {value!r} is not a share", hint="Write it like hit@5=0.9.")
    return name.strip(), share


def _short(result: Evaluated, least: dict[str, float]) -> list[str]:
    """Say which figures are under what was asked; one that could not be measured is."""
    found = result.figures
    return [
        f"{name} is {f'{found[name]:.3f}' if name in found else 'not measured'}, under {share:g}"
        for name, share in least.items()
        if found.get(name, -1.0) < share
    ]


def _run(result: Evaluated) -> Run:
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return Run(
        format=RUN, bethink=__version__, embedder=result.embedder, reranker=result.reranker, at=at,
        figures=result.figures, outcomes=result.outcomes,
    )  # fmt: skip


def _show(
    session: Session, golden: Golden, result: Evaluated, comparison: Comparison | None, short: Sequence[str]
) -> None:
    if session.as_json:
        told = result.model_dump(mode="json", exclude_none=True) | {"overlap": golden.overlap, "short": list(short)}
        print_json(told | ({"diff": comparison.model_dump(mode="json")} if comparison else {}))
        return
    from .evaluations import evaluated
    from .screen import console

    console().print(evaluated(result, comparison, short, overlap=golden.overlap), crop=False)


def _show_made(session: Session, found: Golden, out: Path | None) -> None:
    if session.as_json or out is None:
        print_json(found.model_dump(mode="json", exclude_defaults=True))
        return
    kinds = [one.kind for one in found.questions]
    click.echo(f"{kinds.count('answerable')} questions with an answer and {kinds.count('off_topic')} without: {out}")
