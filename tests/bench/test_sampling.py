from collections import Counter

from bench.sampling import stratified

ROWS = [("common", n) for n in range(90)] + [("rare", n) for n in range(9)] + [("single", 0)]


def kind(row):
    return row[0]


def test_a_sample_keeps_the_shares_and_drops_no_kind():
    assert Counter(map(kind, stratified(ROWS, 20, 0, kind=kind))) == {"common": 18, "rare": 2, "single": 1}


def test_the_same_seed_gives_the_same_sample_and_another_seed_another():
    first = stratified(ROWS, 20, 1, kind=kind)

    assert first == stratified(ROWS, 20, 1, kind=kind)
    assert first != stratified(ROWS, 20, 2, kind=kind)


def test_a_sample_of_more_than_there_is_is_everything():
    assert stratified(ROWS, 1000, 0, kind=kind) == ROWS


def test_without_a_sample_there_is_everything():
    assert stratified(ROWS, None, 0, kind=kind) == ROWS
