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


def test_a_member_given_twice_differently_is_refused():
    with pytest.raises(InvalidRequest, match="'author' is given twice"):
        unfold(RECALL, {"query": "q", "author": "ada", "filter": {"author": "bob"}})


@pytest.mark.parametrize("given", ["not json", "[1]", "3", ["author"], 3, True])
def test_a_folded_object_that_is_none_is_refused(given):
    with pytest.raises(InvalidRequest, match="filter: expected an object"):
        unfold(RECALL, {"query": "q", "filter": given})
