import pytest

from bethink.engine import Bethink
from bethink.errors import InvalidRequest
from bethink.operation import operations
from bethink.surfaces.unfold import unfold

RECALL = operations(Bethink)["recall"]


@pytest.mark.parametrize(
    "given",
    [
        {"filter": {"author": "ada"}, "options": {"mode": "keyword"}},
        {"filter": '{"author": "ada"}', "options": '{"mode": "keyword"}'},
        {"author": "ada", "mode": "keyword"},
        {"author": "ada", "filter": {"author": "ada"}, "mode": "keyword", "options": None},
        {"filter": {"author": "ada", "mode": "keyword"}, "options": ""},
    ],
)
def test_members_may_be_given_in_their_object_as_text_or_beside_it(given):
    assert unfold(RECALL, {"query": "q", **given}) == {"query": "q", "author": "ada", "mode": "keyword"}


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"author": "ada", "filter": {"author": "bob"}}, "Give it once, inside 'filter'."),
        ({"filter": {"query": "p"}}, "Give it once, beside 'filter'."),
        ({"author": "ada", "options": {"author": "bob"}}, "Give it once, inside 'filter'."),
    ],
)
def test_a_member_given_twice_differently_is_refused_and_told_where_it_belongs(given, hint):
    with pytest.raises(InvalidRequest, match="is given twice") as wrong:
        unfold(RECALL, {"query": "q", **given})

    assert wrong.value.hint == hint


def test_a_folded_object_whose_json_is_broken_is_told_so():
    with pytest.raises(InvalidRequest, match="is not JSON"):
        unfold(RECALL, {"query": "q", "filter": '{"author": "ada"'})


@pytest.mark.parametrize("given", ["not json", "[1]", "3", ["author"], 3, True])
def test_a_folded_object_that_is_none_is_refused(given):
    with pytest.raises(InvalidRequest, match="filter: expected an object"):
        unfold(RECALL, {"query": "q", "filter": given})
