import json

import pytest

from bench.__main__ import main
from bench.catalogue import BENCHES, QUICK
from bench.data import SOURCES


def test_without_a_name_it_lists_every_benchmark_on_a_line_and_the_quick_set(capsys):
    assert main([]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [*BENCHES, "quick"]
    assert all(name in lines[-1] for name in QUICK)


def test_the_list_is_an_object_for_programs(capsys):
    assert main(["--json"]) == 0

    assert list(json.loads(capsys.readouterr().out)) == list(BENCHES)


@pytest.mark.parametrize("name", [name for name, bench in BENCHES.items() if bench.files])
def test_missing_data_exits_with_two_and_says_how_to_get_it(name, tmp_path, capsys):
    assert main([name, "--json", "--data", str(tmp_path)]) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert "is missing. Get it from" in err


def test_every_file_that_a_benchmark_needs_has_a_source():
    assert {file for bench in BENCHES.values() for file in bench.files} == SOURCES.keys()


@pytest.mark.parametrize("arguments", [["nothing"], ["tools", "--sample", "0"], ["tools", "--sample", "few"]])
def test_what_cannot_be_asked_exits_with_two(arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)

    assert left.value.code == 2


def test_json_is_one_object_with_the_figures_and_the_circumstances(data, capsys):
    assert main(["locomo", "--json", "--data", str(data), "--seed", "3"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["turns"].keys() == {"any@5", "any@10", "all@10", "mrr", "n"}
    assert found["sessions"].keys() == {"frac@10", "any@5", "all@10", "n"}
    assert found["far"].keys() >= {"empty", "any@10_lost"}
    assert found["bm25"]["turns"]["n"] == found["turns"]["n"] == 8
    assert found["run"]["command"] == "python -m bench locomo --seed 3"
    assert found["run"]["data"].keys() == {"locomo/locomo.json", "retrieval/scifact/queries.jsonl"}


def test_a_table_for_people_has_the_baseline_beside_ours(data, capsys, monkeypatch):
    monkeypatch.setenv("BETHINK_BENCH_DATA", str(data))

    assert main(["longmemeval"]) == 0

    out = capsys.readouterr().out
    assert "Bethink" in out
    assert "BM25" in out
    assert "any@5" in out


def test_what_ask_cites_is_measured_beside_what_recall_finds(data, capsys):
    assert main(["ask", "--json", "--data", str(data)]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found.keys() == {"tune", "held", "run"}
    assert found["tune"].keys() >= {"gold_cited.share", "gold_among_as_many_of_recall.share", "far_unanswered.share"}
    assert found["tune"]["n"] + found["held"]["n"] == 8


def test_the_keyword_index_is_measured_on_rows_of_the_form_that_it_has(data, capsys):
    assert main(["lexical", "--json", "--sample", "3", "--data", str(data)]) == 0

    (found,) = [value for name, value in json.loads(capsys.readouterr().out).items() if name == "3"]
    assert found["own postings"]["top10_of_exact"] == 1.0
