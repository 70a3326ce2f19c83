"""Draws how the pocket sensors are wired to the board, as an SVG picture."""

import itertools
from dataclasses import dataclass
from html import escape

from scoring.table import Pocket

FIRST_PIN = 2  # D2 is the first pocket's receiver, as in clock.hpp
_WIDTH, _HEIGHT = 1060, 660
_NANO_X, _NANO_Y, _NANO_WIDTH, _NANO_HEIGHT = 470, 90, 150, 500
_ROW, _FIRST_ROW = 78, 130  # drawing units
_RED, _BLACK, _BLUE, _GREEN = "#c0392b", "#222222", "#1f5fa8", "#1e7d46"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A wire as a line of corners."""

    corners: tuple[tuple[float, float], ...]
    colour: str


def wiring_svg() -> str:
    """The whole diagram."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">',
        "<title>Pocket sensors: six beams at an Arduino Nano</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _text(_WIDTH / 2, 30, "Pocket sensors: six beams at an Arduino Nano", size=19, anchor="middle"),
        _box(_NANO_X, _NANO_Y, _NANO_WIDTH, _NANO_HEIGHT, "Arduino Nano", subtitle="ATmega328P"),
    ]
    for row, pocket in enumerate(Pocket):
        parts += _receiver(row, pocket)
        parts += _emitter(row, pocket)
    parts += _switch()
    parts += _legend()
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _receiver(row: int, pocket: Pocket) -> list[str]:
    """A receiver at the left, its signal to its own pin, its supply to the two rails."""
    y = _FIRST_ROW + row * _ROW
    pin = f"D{FIRST_PIN + row}"
    signal = Wire(corners=((190, y), (_NANO_X, y)), colour=_BLUE)
    plus = Wire(corners=((190, y - 16), (250, y - 16)), colour=_RED)
    ground = Wire(corners=((190, y + 16), (290, y + 16)), colour=_BLACK)
    return [
        _box(50, y - 28, 140, 56, f"{pocket} receiver"),
        *map(_line, (signal, plus, ground)),
        _dot(250, y - 16, _RED),
        _dot(290, y + 16, _BLACK),
        _text(_NANO_X + 8, y + 5, pin),
        _text(330, y - 6, f"{pocket} signal", colour=_BLUE),
    ]


def _emitter(row: int, pocket: Pocket) -> list[str]:
    """An emitter at the right: its light hangs on the switched rail."""
    y = _FIRST_ROW + row * _ROW
    plus = Wire(corners=((870, y - 10), (790, y - 10)), colour=_GREEN)
    ground = Wire(corners=((870, y + 14), (830, y + 14)), colour=_BLACK)
    return [
        _box(870, y - 28, 140, 56, f"{pocket} emitter"),
        *map(_line, (plus, ground)),
        _dot(790, y - 10, _GREEN),
        _dot(830, y + 14, _BLACK),
    ]


def _switch() -> list[str]:
    """The rails, and the transistor that switches the light."""
    last = _FIRST_ROW + 5 * _ROW
    right = _NANO_X + _NANO_WIDTH
    wires = (
        Wire(
            corners=((250, _FIRST_ROW - 16), (250, 70), (right + 60, 70), (right + 60, 150), (right, 150)), colour=_RED
        ),
        Wire(corners=((250, 70), (250, last - 16)), colour=_RED),
        Wire(corners=((290, _FIRST_ROW + 16), (290, 625), (830, 625), (830, _FIRST_ROW + 14)), colour=_BLACK),
        Wire(corners=((right, 560), (right + 60, 560), (right + 60, 625)), colour=_BLACK),
        Wire(corners=((right, 240), (675, 240)), colour=_BLUE),
        Wire(corners=((right + 60, 150), (720, 150), (720, 215)), colour=_RED),
        Wire(corners=((720, 265), (720, 300), (790, 300)), colour=_GREEN),
        Wire(corners=((790, _FIRST_ROW - 10), (790, last - 10)), colour=_GREEN),
    )
    return [
        *map(_line, wires),
        _box(675, 215, 90, 50, "AO3401A", subtitle="P-channel"),
        _text(right + 8, 232, "220 Ω", colour=_BLUE),
        _text(right - 8, 155, "5V", anchor="end"),
        _text(right - 8, 245, "D8", anchor="end"),
        _text(right - 8, 565, "GND", anchor="end"),
        _text(_NANO_X + _NANO_WIDTH / 2, 400, "USB to the host", anchor="middle"),
        _text(728, 205, "S"),
        _text(728, 283, "D"),
        _text(658, 258, "G"),
        _text(640, 330, "10 kΩ from G to ground"),
        _text(640, 356, "without the transistor:"),
        _text(640, 374, "emitters to 5V,"),
        _text(640, 392, "D9 to GND"),
    ]


def _legend() -> list[str]:
    rows = ((_RED, "5 V"), (_BLACK, "ground"), (_GREEN, "5 V for the light, switched"), (_BLUE, "signals"))
    parts: list[str] = []
    for number, (colour, words) in enumerate(rows):
        x = 60 + 240 * number
        parts += [_line(Wire(corners=((x, 648), (x + 26, 648)), colour=colour)), _text(x + 34, 652, words)]
    return parts


def _box(x: float, y: float, width: float, height: float, title: str, *, subtitle: str = "") -> str:
    middle = x + width / 2
    lines = _text(middle, y + (height / 2 + 5 if not subtitle else 20), title, anchor="middle", weight="bold")
    if subtitle:
        lines += "\n" + _text(middle, y + 38, subtitle, anchor="middle")
    frame = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" fill="#f4f1ea" stroke="#444"/>'
    return f"{frame}\n{lines}"


def _line(wire: Wire) -> str:
    style = f'stroke="{wire.colour}" stroke-width="2.4" stroke-linecap="round"'
    return "\n".join(
        f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" {style}/>'
        for (x, y), (to_x, to_y) in itertools.pairwise(wire.corners)
    )


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}"/>'


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: int = 13,
    anchor: str = "start",
    colour: str = "#222",
    weight: str = "normal",
) -> str:
    place = f'x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}"'
    return f"<text {place}>{escape(words)}</text>"
