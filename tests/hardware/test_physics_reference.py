"""Agreement with an independent engine, where its strokes are at hand; only ever raise these floors."""

import os
from pathlib import Path

import pytest

from hardware.virtual.physics.comparison import Agreement, compare, main


@pytest.fixture(scope="module")
def agreement() -> Agreement:
    folder = os.environ.get("CUEMARKER_REFERENCE_DIR")
    if folder is None:
        pytest.skip("CUEMARKER_REFERENCE_DIR does not name a folder with physics/strokes.json")
    return compare(Path(folder))


def test_first_contacts_agree(agreement: Agreement):
    assert agreement.first_share >= 0.95


def test_first_contacts_come_within_ten_milliseconds(agreement: Agreement):
    assert agreement.first_in_time_share >= 0.90


def test_contacts_agree_in_order_up_to_the_third(agreement: Agreement):
    assert agreement.three_share >= 0.85


def test_the_comparison_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([]) == 2
    assert main([str(tmp_path)]) == 1
    assert "holds no physics/strokes.json" in capsys.readouterr().err


def test_a_stroke_is_compared_contact_by_contact(tmp_path: Path):
    (tmp_path / "physics").mkdir()
    (tmp_path / "physics" / "strokes.json").write_text(
        """[{"id": "one", "table": {"length": 2840.0, "width": 1420.0, "ball": 68},
             "layout": {"white-1": [700, 0], "white-2": [1200, 0], "yellow": [1400, 0]},
             "cue_ball": "white-1", "speed_m_s": 2.0, "direction_deg": 0.0, "offset_side": 0.0, "offset_top": 0.0,
             "events": [{"t": 0.0, "type": "strike", "ball": "white-1"},
                        {"t": 0.1549, "type": "contact", "ball": "white-1", "other": "white-2", "at": [1166, 0]},
                        {"t": 0.3, "type": "contact", "ball": "white-1", "other": "yellow", "at": [1300, 0]}]}]""",
        encoding="utf-8",
    )
    (stroke,) = compare(tmp_path).strokes
    assert stroke.first_agrees
    assert abs(stroke.first_late_s) < 0.01
    assert (stroke.agreeing_contacts, stroke.contacts) == (1, 2)
    assert not stroke.three_agree
