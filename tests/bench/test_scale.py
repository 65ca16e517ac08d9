import numpy as np
import pytest

from bench.copies import copies, vectors
from bench.scale import draw

TEXTS = ["ada planted four apple trees", "bob moved to lisbon in march", "grace bakes rye bread"]


def test_copies_are_all_different_and_the_same_for_the_same_seed():
    made = list(copies(TEXTS, 50, 1))

    assert len({copy.content for copy in made}) == 50
    assert made == list(copies(TEXTS, 50, 1)) != list(copies(TEXTS, 50, 2))


def test_a_copy_is_nearest_to_what_it_was_made_of():
    known = dict(zip(TEXTS, np.eye(3, 384, dtype=np.float32), strict=True))
    made = list(copies(TEXTS, 30, 1))

    found = vectors(made, known, 1)

    assert [max(known, key=lambda text: known[text] @ found[c.content]) for c in made] == [c.of for c in made]
    assert np.allclose([np.linalg.norm(v) for v in found.values()], 1, atol=1e-5)


def test_cost_against_size_is_drawn_as_png_and_svg_without_what_was_not_measured(tmp_path):
    pytest.importorskip("matplotlib")
    figures = {"1000": {"cpu_p95": 3.5, "private_mb": 110.0}, "10000": {"cpu_p95": 4.0, "private_mb": None}}

    png, svg = draw(figures, tmp_path)

    assert png.read_bytes().startswith(b"\x89PNG")
    assert "<svg" in svg.read_text(encoding="utf-8")
    assert draw(figures, tmp_path)[1].read_bytes() == svg.read_bytes()
