import pytest

from bench.report import Table, cell, general, markdown


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("turns.any@5", 0.7634, "76.3 %"),
        ("turns.mrr", 0.5, "50.0 %"),
        ("cpu_p95", 3.14159, "3.14"),
        ("n", 1234, "1,234"),
        ("near.auc", None, "-"),
        ("largest.name", "memory_store", "memory_store"),
    ],
)
def test_a_figure_is_shown_as_it_is_read(name, value, shown):
    assert cell(name, value) == shown


def test_the_baseline_stands_beside_ours():
    figures = {"turns": {"any@5": 0.75, "n": 8}, "far": {"empty": 1.0}, "bm25": {"turns": {"any@5": 0.5, "n": 8}}}

    assert general(figures) == [
        Table(
            ("measure", "Bethink", "BM25"),
            (("turns.any@5", "75.0 %", "50.0 %"), ("turns.n", "8", "8"), ("far.empty", "100.0 %", "-")),
        )
    ]


def test_sizes_with_a_baseline_are_a_table_a_size():
    assert general({"100k": {"frac@10": 0.5, "bm25": {"frac@10": 0.25}}}) == [
        Table(("measure", "Bethink", "BM25"), (("frac@10", "50.0 %", "25.0 %"),), "100k")
    ]


def test_sizes_are_columns():
    assert general({"10000": {"cpu_p95": 3.0}, "100000": {"cpu_p95": 9.5}}) == [
        Table(("measure", "10,000", "100,000"), (("cpu_p95", "3.00", "9.50"),))
    ]


def test_ways_within_sizes_are_a_table_a_size():
    ways = {"own": {"file_mb": 1.0}, "other": {"file_mb": 2.0}}

    assert general({"10000": ways}) == [Table(("measure", "own", "other"), (("file_mb", "1.00", "2.00"),), "10,000")]


def test_anything_else_is_a_list():
    assert general({"core": 3453, "bytes": {"core": 13812}}) == [
        Table(("measure", "value"), (("core", "3,453"), ("bytes.core", "13,812")))
    ]


def test_a_table_becomes_markdown_with_its_title():
    assert (
        markdown([Table(("a", "b"), (("x|y", "1"),), "both")]) == "**both**\n\n| a | b |\n| --- | ---: |\n| x/y | 1 |"
    )
