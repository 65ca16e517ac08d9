import pytest

from bench.circumstances import Circumstances
from bench.record import record
from bench.report import Table

WRITTEN = """# Results

How to read them.

## locomo

A store a conversation.

## tools

## fit

Chosen by hand.
"""


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "RESULTS.md"
    path.write_text(WRITTEN, "utf-8")
    return path


def run(day, command="python -m bench locomo"):
    return Circumstances(
        command=command,
        commit="abc1234",
        date=f"2026-12-{day:02} 10:00 UTC",
        machine="a processor, 2 cores",
        load_before=0.25,
        load_after=1.5,
        seconds=61.4,
        data={"locomo/locomo.json": "0123456789abcdef0123"},
    )


def write(results, *runs, name="locomo"):
    for each in runs:
        record(name, [Table(("measure", "Bethink"), (("any@5", "76.3 %"),))], each, results=results)
    return results.read_text("utf-8")


def test_a_run_stands_in_its_section_with_its_circumstances(results):
    assert write(results, run(1)) == WRITTEN.replace(
        "A store a conversation.\n",
        """A store a conversation.

### 2026-12-01 10:00 UTC, abc1234

`python -m bench locomo`

a processor, 2 cores; load 0.2 before, 1.5 after; 61 s

Data: locomo/locomo.json `0123456789abcdef`

| measure | Bethink |
| --- | ---: |
| any@5 | 76.3 % |
""",
    )


def test_the_newest_run_comes_first_and_the_last_three_of_a_command_stay(results):
    text = write(results, run(1), run(2), run(3), run(4))

    days = [line[12:14] for line in text.splitlines() if line.startswith("### ")]
    assert days == ["04", "03", "02"]


def test_runs_of_another_command_do_not_push_out(results):
    sample = "python -m bench locomo --sample 9"
    text = write(results, run(1), run(2, sample), run(3, sample), run(4, sample), run(5, sample))

    days = [line[12:14] for line in text.splitlines() if line.startswith("### ")]
    assert days == ["05", "04", "03", "01"]


def test_recording_leaves_what_is_written_by_hand(results):
    text = write(results, run(1), run(2))

    assert "How to read them." in text
    assert text.endswith("## fit\n\nChosen by hand.\n")


def test_a_benchmark_without_a_section_gets_one(results):
    assert "Chosen by hand.\n\n## latency\n\n### 2026-12-01" in write(results, run(1), name="latency")
