"""Plots as SVG, written by hand: what is drawn is little, and a text file shows in a review what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final

_SIZE: Final = 360
_MARGIN: Final = 48
_TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_STYLE: Final = "font-family='sans-serif' font-size='12' fill='#333'"


def reliability(bins: Sequence[Mapping[str, float]], title: str) -> str:
    """Return a reliability diagram: said chance to the right, right share upwards; the area of a dot is its count."""
    whole = _SIZE + 2 * _MARGIN
    return "\n".join(
        [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {whole} {whole}' width='{whole}' height='{whole}'>",
            "<rect width='100%' height='100%' fill='white'/>",
            f"<text x='{_MARGIN}' y='{_MARGIN // 2}' {_STYLE}>{escape(title)}</text>",
            *_axes(),
            *_dots(bins),
            "</svg>\n",
        ]
    )


def _axes() -> Iterator[str]:
    yield f"<path d='M{_x(0)} {_y(1)}V{_y(0)}H{_x(1)}' fill='none' stroke='#333'/>"
    yield f"<path d='M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}' stroke='#aaa' stroke-dasharray='4'/>"
    for tick in _TICKS:
        yield f"<text x='{_x(tick)}' y='{_y(0) + 16}' text-anchor='middle' {_STYLE}>{tick:g}</text>"
        yield f"<text x='{_x(0) - 6}' y='{_y(tick) + 4}' text-anchor='end' {_STYLE}>{tick:g}</text>"
    yield f"<text x='{_x(0.5)}' y='{_y(0) + 36}' text-anchor='middle' {_STYLE}>chance that was said</text>"
    side = f"transform='rotate(-90 14 {_y(0.5)})'"
    yield f"<text x='14' y='{_y(0.5)}' text-anchor='middle' {side} {_STYLE}>share that was right</text>"


def _dots(bins: Sequence[Mapping[str, float]]) -> Iterator[str]:
    most = max((one["count"] for one in bins), default=1)
    points = " ".join(f"{_x(one['said'])},{_y(one['right'])}" for one in bins)
    yield f"<polyline points='{points}' fill='none' stroke='#06c'/>"
    for one in bins:
        radius = round(3 + 9 * (one["count"] / most) ** 0.5, 1)
        told = f"{one['count']:.0f} hits: {one['said']:.2f} said, {one['right']:.2f} right"
        yield f"<circle cx='{_x(one['said'])}' cy='{_y(one['right'])}' r='{radius}' fill='#06c' fill-opacity='0.5'>"
        yield f"<title>{told}</title></circle>"


def _x(share: float) -> float:
    return round(_MARGIN + _SIZE * share, 1)


def _y(share: float) -> float:
    return round(_MARGIN + _SIZE * (1 - share), 1)
