"""The accuracy floor: a few virtual strokes, rendered and seen in this process; floor.json may only rise.

Rendered strokes are an upper bound of real ones. The floor's seeds stay as they are; figures are raised by hand when
the pipeline has become better, and never lowered. Full tables: `cuemarker bench events`.
"""

import json
from pathlib import Path

import pytest

from hardware.virtual.difficulty import Difficulty
from server.bench.match_tables import figures_of
from server.bench.matches import EventsPlan, see_match

FLOOR = json.loads(Path(__file__).with_name("floor.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("difficulty", sorted(FLOOR))
def test_strokes_are_seen_at_least_as_well_as_recorded(difficulty):
    floor = FLOOR[difficulty]
    plan = EventsPlan(
        game="kaisa", difficulty=Difficulty(difficulty), strokes=floor["strokes"], fps=float(floor["fps"])
    )
    match = see_match(plan, floor["seed"])
    figures = figures_of([match])
    told = "; ".join(f"{stroke.t_s:.2f} s {stroke.verdict} {stroke.difference}" for stroke in match.comparison.strokes)
    assert figures.shares["exact"].total == floor["strokes"]
    assert (figures.shares["silent"].count, figures.shares["invented"].count) == (0, 0), told
    assert figures.shares["exact"].count >= floor["exact"], told
    f1 = {row.kind: row.f1 for row in figures.kinds}
    for kind in ("contact", "cushion", "pocket"):
        assert f1.get(kind, 1.0) >= floor[f"{kind}_f1"] - 1e-3, f"{kind}: F1 {f1[kind]:.4f}; {told}"
