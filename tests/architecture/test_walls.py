"""The walls between the rooms, and the house rules that a machine can check."""

import importlib
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from server.cli import COMMANDS

ROOT = Path(__file__).parents[2]
ROOMS = ("vision", "hardware", "scoring", "calibration", "server")
LONGEST_FILE = 400
# Words that would tie the repository to one machine; split so that this file does not find itself.
FOREIGN = ["/wor" + "k/", "../shar" + "ed", "/tm" + "p/", "/ro" + "ot/", "/hom" + "e/"]


def tracked(*patterns):
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def tool(name, *arguments):
    return subprocess.run(
        [Path(sys.executable).with_name(name), *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "command", [("lint-imports",), ("mypy",), ("ruff", "check", "."), ("ruff", "format", "--check", ".")], ids="_".join
)
def test_the_tree_is_clean_by(command):
    done = tool(*command)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nobody_else_owns_our_package_names():
    owners = importlib.metadata.packages_distributions()  # an editable install is not listed there
    assert {room: owners[room] for room in ROOMS if owners.get(room, ["cuemarker"]) != ["cuemarker"]} == {}


def test_tests_are_no_packages():
    assert tracked("tests/**/__init__.py", "tests/__init__.py") == []


def test_no_test_file_name_is_used_twice():
    names = [path.name for path in tracked("tests/**/test_*.py")]
    assert len(names) == len(set(names))


def test_no_source_file_is_longer_than_400_lines():
    lengths = {path: len(path.read_text("utf8").splitlines()) for path in tracked("*.py", "*.js", "*.css")}
    assert {str(path.relative_to(ROOT)): n for path, n in lengths.items() if n > LONGEST_FILE} == {}


def test_no_file_is_tied_to_one_machine():
    found = {}
    for path in tracked(
        "*.py", "*.md", "*.toml", "*.yaml", "*.js", "*.html", "*.css", "*.po", ".ci/run", "constraints.txt"
    ):
        words = [word for word in FOREIGN if word in path.read_text("utf8")]
        if words:
            found[str(path.relative_to(ROOT))] = words
    assert found == {}


def test_the_top_level_holds_only_what_people_expect():
    expected = {
        *ROOMS,
        "tests",
        "docs",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "constraints.txt",
        "Dockerfile",
    }
    top = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {name for name in top if not name.startswith(".")} <= expected


def test_constraints_name_every_dependency_and_nothing_but_versions():
    lines = (ROOT / "constraints.txt").read_text("utf8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
    pinned = {re.sub(r"[-_.]+", "-", line.split("==")[0]).lower() for line in lines}
    required = [
        r for r in importlib.metadata.requires("cuemarker") or [] if "extra == 'train'" not in r.replace('"', "'")
    ]
    names = {re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", requirement)[0]).lower() for requirement in required}
    assert names - pinned == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_help_with_an_example(name):
    module = name.replace("-", "_")
    command = getattr(importlib.import_module(f"server.commands.{module}"), module)
    text = command.get_help(click.Context(command, info_name=f"cuemarker {name}"))
    assert f"cuemarker {name} " in text.split("Usage:", 1)[1].split("\n", 1)[1]


def test_rules_need_no_picture_library():
    """`cuemarker check` and `cuemarker --help` start without OpenCV."""
    code = "import sys, server.cli, server.commands.check, scoring.match; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_ci_runs_the_command_of_the_readme():
    readme = (ROOT / "README.md").read_text("utf8")
    assert "<!-- tests -->\n```sh\n" in readme
    assert "<!-- demo -->\n```sh\n" in readme
    assert "<!-- tests -->" in (ROOT / ".ci" / "run").read_text("utf8")
