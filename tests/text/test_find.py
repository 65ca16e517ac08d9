"""A literal search finds what is spelt so, whichever way Unicode writes it, and says where it stands in the text."""

import pytest

from bethink.text.find import find, lines

SHARP, DOTTED = "Straße nach İzmir", "e\u0301clair, E\u0301clair, éclair"


def found(text, wanted, **how):
    """What the places hold, and how many there are."""
    finds = find(text, wanted, most=10, **how)
    return [text[start:stop] for start, stop in finds.spans], finds.total


@pytest.mark.parametrize(
    ("text", "wanted", "places"),
    [
        ("Ada likes ADA and ada.", "ada", ["Ada", "ADA", "ada"]),
        ("a.b*c a.b*c", "a.b*c", ["a.b*c", "a.b*c"]),
        ("one\ntwo\nthree", "e\nt", ["e\nt"]),
        ("ааа", "аа", ["аа"]),
        ("東京と東京都", "東京", ["東京", "東京"]),
        ("한글과 한글", "한글", ["한글", "한글"]),
        (DOTTED, "éclair", ["e\u0301clair", "E\u0301clair", "éclair"]),
        (DOTTED, "e\u0301clair", ["e\u0301clair", "E\u0301clair", "éclair"]),
        ("no E\u0301 but e\u0301", "e", []),
        (SHARP, "STRASSE", ["Straße"]),
        (SHARP, "nach", ["nach"]),
        (SHARP, "i\u0307zmir", ["İzmir"]),
        ("कि का", "क", ["क", "क"]),
        ("👍🏽 fine 👍", "👍", ["👍", "👍"]),
    ],
)
def test_what_is_written_in_one_way_is_found_in_another(text, wanted, places):
    assert found(text, wanted) == (places, len(places))


def test_case_counts_where_it_is_asked_to():
    assert found("Ada ADA ada", "ADA", case_sensitive=True) == (["ADA"], 1)
    assert found(DOTTED, "éclair", case_sensitive=True) == (["e\u0301clair", "éclair"], 2)
    assert found(SHARP, "STRASSE", case_sensitive=True) == ([], 0)


def test_the_total_counts_what_is_not_shown():
    finds = find("a" * 1_000_000, "a", most=2)

    assert (finds.total, finds.spans) == (1_000_000, [(0, 1), (1, 2)])


@pytest.mark.parametrize("text", ["", "one", "one\n", "one\ntwo", "\n\n"])
def test_lines_are_counted_as_an_editor_does(text):
    assert lines(text) == max(len(text.split("\n")) - (1 if text.endswith("\n") else 0), 0 if text else 1)
