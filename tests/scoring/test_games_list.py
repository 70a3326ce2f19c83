"""A game is one file and one line: every file of the games is reached from the list."""

from pathlib import Path

import scoring.games
from scoring.games import GAMES


def test_every_game_file_is_in_the_list_or_belongs_to_a_game_that_is():
    folder = Path(scoring.games.__file__).parent
    listed = {entry.split(":")[0].rsplit(".", 1)[1] for entry in GAMES.values()}
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    strays = {name for name in files - listed if not any(name.startswith(f"{game}_") for game in listed)}
    assert strays == set()
    assert listed <= files
