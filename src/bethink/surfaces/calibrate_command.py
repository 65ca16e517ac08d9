"""`bethink calibrate`: the floor and the labels of a namespace measured on its own memories."""

from __future__ import annotations

from typing import Any

import click

from bethink.engine import Bethink
from bethink.errors import InvalidRequest
from bethink.evaluation.files import read_golden
from bethink.evaluation.golden import Golden
from bethink.operations.calibrate import Calibrated
from bethink.settings import path_of

from .operation_commands import json_option, with_engine
from .progress import Bar
from .session import Command, Session, delivering, print_json


@click.command("calibrate", cls=Command, params=[json_option()])
@click.argument("golden", metavar="GOLDEN.json", required=False)
@click.option("--apply/--dry-run", "apply", help="Keep what was measured; default: --dry-run.")
@click.pass_obj
def command(session: Session, /, *, golden: str | None, apply: bool, as_json: bool) -> int:
    """Measure under which score nothing answers in a namespace, and with golden questions what its labels are worth.

    The namespace is the one that `bethink --namespace PATH calibrate` names, else that of this process. Without
    GOLDEN.json its own phrases are the questions that have an answer. Nothing is changed without --apply, which prints
    how it is undone.
    """
    session = session.answering(as_json=as_json)
    asked = _written(golden).questions if golden is not None else []
    questions = [one.model_dump(mode="json", exclude_defaults=True) for one in asked]
    given = {"apply": apply, **({"questions": questions} if questions else {})}

    async def measured(engine: Bethink) -> Calibrated:
        declared: Any = Bethink.calibrate
        with Bar("calibrate", "questions") as bar:
            result = await declared.operation.call(engine, given, progress=bar.report)
        assert isinstance(result, Calibrated)
        return result

    result = with_engine(session, measured, creates=False)
    with delivering():
        if session.as_json:
            print_json(result.model_dump(mode="json"))
        else:
            from .evaluations import calibrated
            from .screen import console

            console().print(calibrated(result), crop=False)
    return 0


def _written(path: str) -> Golden:
    """Return the questions of a file that somebody wrote: those made from a store repeat their answers."""
    golden = read_golden(path_of("golden", path))
    if golden.overlap:
        raise InvalidRequest(
            f"{path}: its questions repeat their answers, so they tell nothing of labels",
            hint="Leave it out, for calibrate makes such questions itself, or give some that were asked.",
        )
    return golden
