"""The fit of the labels, and the plot of it."""

import random
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from bench.calibration import Answered, binned, error, fitted, report, tables
from bench.plot import reliability
from bethink.recall.confidence import INTERCEPT, OF_LEAD, chance


def asked(count, half, kind="locomo"):
    """Questions that are answered as often as the present constants say."""
    chances = random.Random(f"{half} {kind}")  # a sample
    made = []
    for _ in range(count):
        scores = sorted((chances.uniform(0.2, 0.6) for _ in range(10)), reverse=True)
        right = [chances.random() < chance(scores[0], scores[2]), *[False] * 9]
        made.append(Answered(kind, half, tuple(scores), tuple(right), {"keyword": scores[0]}, 5))
    return made


def test_a_fit_finds_the_constants_that_made_the_data():
    leads = np.random.default_rng(0).uniform(-0.1, 0.3, 20_000)
    right = np.random.default_rng(1).random(20_000) < 1 / (1 + np.exp(-(10 * leads - 1)))

    slope, intercept = fitted(leads, right.astype(float))

    assert (slope, intercept) == (pytest.approx(10, abs=0.6), pytest.approx(-1, abs=0.1))


def test_what_is_said_and_what_is_so_agree_where_there_is_no_error():
    said = np.array([0.05, 0.05, 0.95, 0.95])

    assert error(said, np.array([0.0, 0.1, 0.9, 1.0])) == pytest.approx(0)
    assert error(said, np.array([1.0, 1.0, 0.0, 0.0])) == pytest.approx(0.95)
    assert [one["count"] for one in binned(said, said)] == [2, 2]


def test_a_report_has_the_fit_what_the_labels_are_worth_and_a_plot():
    data = [one for half in ("tune", "held") for kind in ("locomo", "longmemeval") for one in asked(400, half, kind)]
    data += [Answered("far", "held", (), (), {}, 3), *asked(20, "held", "near")]

    found = report(data)

    assert found["fit"]["OF_LEAD"] == pytest.approx(OF_LEAD, rel=0.25)
    assert found["fit"]["INTERCEPT"] == pytest.approx(INTERCEPT, abs=0.4)
    assert found["ece"]["present"] < 0.06
    assert found["features"]["lead over the third"]["held"] > found["features"]["score"]["held"]
    assert found["thresholds"]["0.8"]["held right"] > found["thresholds"]["0.5"]["held right"]
    assert found["present"]["high"]["far has"] == 0
    assert [len(row) for table in tables(found) for row in table.rows if len(row) != len(table.heads)] == []
    drawn = ET.fromstring(reliability(found["bins"], "a < b"))
    assert len(drawn.findall("{http://www.w3.org/2000/svg}circle")) == len(found["bins"])
