"""The command `cuemarker plan`: figures, advice, a drawing, and one line for wrong use."""

from pathlib import Path

from click.testing import CliRunner, Result

from scoring.errors import CuemarkerError
from server.commands.plan import plan

USUAL = ("--length", "3550", "--width", "1775", "--height", "2600", "--fov", "78")


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(plan, list(arguments))


def test_a_plan_says_scale_blur_error_and_room(tmp_path: Path) -> None:
    drawing = tmp_path / "plan.svg"
    result = _run(*USUAL, "--camera", "1920x1080@60", "--drawing", str(drawing))
    assert result.exit_code == 0, result.output
    for words in ("px per mm", "a ball is 31.4 px wide", "shutter 1/500 s", "FL ", "mm to spare", "better: "):
        assert words in result.output
    assert drawing.read_text().startswith("<svg")


def test_wrong_use_is_told() -> None:
    assert _run(*USUAL, "--camera", "full-hd").exit_code == 2
    assert (
        _run(
            "--length", "10", "--width", "1775", "--height", "2600", "--fov", "78", "--camera", "1920x1080@60"
        ).exit_code
        == 2
    )
    absent = _run(*USUAL, "--camera", "1920x1080@60", "--drawing", "/nowhere/plan.svg")
    assert isinstance(absent.exception, CuemarkerError)
    assert "cuemarker plan --length" in _run("--help").output
