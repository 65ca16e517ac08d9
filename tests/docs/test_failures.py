"""The catalogue of failures and the tests that hold its rows name each other."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CATALOGUE = (ROOT / "docs/design/failures.md").read_text(encoding="utf-8")
LINES = [line for line in CATALOGUE.splitlines() if line.startswith("| F")]
ROWS = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in LINES]
COVER = {row[0]: row[-1] for row in ROWS}
NAMED = {failure: set(re.findall(r"`(tests/[^`]+?::[^`]+)`", cover)) for failure, cover in COVER.items()}


def test_no_row_stands_twice():
    ids = Counter(row[0] for row in ROWS)

    assert [failure for failure, count in ids.items() if count > 1] == []


def test_every_row_is_whole():
    broken = [
        row
        for row in ROWS
        if len(row) != 5 or not re.fullmatch(r"F\d{3}", row[0]) or row[1] not in {"S1", "S2", "S3", "S4"} or "" in row
    ]

    assert broken == []


def test_every_row_is_covered_or_says_what_it_waits_for():
    silent = [failure for failure, cover in COVER.items() if not NAMED[failure] and not _waits(cover)]

    assert silent == []


def test_every_test_that_a_row_names_exists():
    known = set(_tests())

    assert sorted(test for tests in NAMED.values() for test in tests if test not in known) == []


def test_every_row_that_a_test_names_exists_and_names_the_test():
    marked = {(test, failure) for test, failures in _tests().items() for failure in failures}

    assert sorted((test, failure) for test, failure in marked if test not in NAMED.get(failure, ())) == []


def _waits(cover: str) -> bool:
    return re.fullmatch(r"comes with: [a-z ]+", cover) is not None


def _tests() -> dict[str, list[str]]:
    """Every test as `path::name`, and the rows that its marks name."""
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        path = file.relative_to(ROOT).as_posix()
        for name, marks in _named(ast.parse(file.read_text(encoding="utf-8")).body):
            found[f"{path}::{name}"] = _failures(marks)
    return found


def _named(body: list[ast.stmt]) -> Iterator[tuple[str, list[ast.expr]]]:
    """The tests of a module or class with their marks: functions, and the cases of state machines."""
    for node in body:
        match node:
            case ast.ClassDef():
                yield from (
                    (f"{node.name}::{name}", [*node.decorator_list, *marks]) for name, marks in _named(node.body)
                )
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name.startswith("test"):
                yield node.name, node.decorator_list
            case ast.Assign(targets=[ast.Name(id=name)]) if name.startswith("Test"):
                yield name, []


def _failures(marks: list[ast.expr]) -> list[str]:
    return [
        argument.value
        for mark in marks
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.failure"
        for argument in mark.args
        if isinstance(argument, ast.Constant)
    ]
