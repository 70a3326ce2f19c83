"""The bench of calibrations: figures of known cases, real pictures against marked corners, refusals counted."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from server.bench.calibration import CaseResult
from server.bench.calibration_files import FileResult, check_files
from server.bench.calibration_tables import calibration_figures, calibration_json, case_line, files_json, files_summary
from server.errors import ServerError


def _case(seed: int, verdict: str, worst_mm: float, promised_mm: float = 2.0) -> CaseResult:
    return CaseResult(
        seed=seed,
        difficulty="hard",
        verdict=verdict,
        reason="",
        median_mm=worst_mm / 4,
        p95_mm=worst_mm / 2,
        worst_mm=worst_mm,
        pocket_mean_mm=worst_mm / 2,
        promised_mm=promised_mm,
    )


CASES = (
    _case(1, "pass", 2.0),
    _case(2, "pass", 9.0),
    _case(3, "warn", 9.0, promised_mm=6.0),
    _case(4, "warn", 20.0, promised_mm=6.0),
    _case(5, "refuse", 50.0),
    CaseResult(seed=6, difficulty="hard", verdict="none", reason="no table: dark"),
)


def test_a_wrong_pass_and_a_warning_that_promised_too_much_are_counted_and_refusals_are_no_errors() -> None:
    shares = calibration_figures(CASES).shares
    assert [shares[name].count for name in ("found", "passed", "refused", "no table")] == [4, 2, 1, 1]
    assert shares["passed, but over 8 mm off"].count == 1
    assert shares["warned, but twice as far off as told"].count == 1
    assert (shares["p95_mm within 4"].count, shares["p95_mm within 4"].total) == (1, 4)


def test_errors_come_with_an_interval_around_them() -> None:
    figures = calibration_figures(CASES)
    assert [row.name for row in figures.errors] == ["median_mm", "p95_mm", "pocket_mean_mm", "worst_mm"]
    told, low, high = figures.errors[-1].mean
    assert told == pytest.approx(10.0)
    assert 2.0 <= low < told < high <= 20.0
    json.dumps(calibration_json(CASES, figures))
    assert case_line(CASES[-1]) == "seed 6, hard: none: no table: dark"


def test_nothing_found_is_no_crash() -> None:
    figures = calibration_figures(CASES[-1:])
    assert figures.shares["found"].count == 0
    assert figures.errors == ()


def test_unsure_corners_do_not_count() -> None:
    file = FileResult(
        name="a.mp4", verdict="pass", reason="", corner_errors_px={"TL": 1.0, "TR": 3.0, "BR": 40.0}, unsure=("BR",)
    )
    assert files_summary([file]) == "corners: 2 sure ones, median 2.00 px, worst 3.00 px"
    assert files_json([file])["median_px"] == 2.0
    assert files_summary([]) == "no corner was annotated"


def test_a_picture_without_a_table_is_a_row_and_a_folder_without_pictures_an_error(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="no recording or picture"):
        check_files(tmp_path)
    cv2.imwrite(str(tmp_path / "dark.png"), np.zeros((300, 400, 3), dtype=np.uint8))
    (result,) = check_files(tmp_path, overlays=tmp_path / "drawn")
    assert (result.name, result.verdict) == ("dark.png", "none")
    assert "black" in result.reason
    assert not (tmp_path / "drawn").exists()
