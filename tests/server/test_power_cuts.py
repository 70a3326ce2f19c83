"""A hall that is killed at any moment, again and again: every acknowledged entry is there, and it always opens."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

RUNS_PER_HALL = 12
ROOT = Path(__file__).parents[2]


def cut_power(folder, seed, runs):
    """What the test's own process does, alone, so that it can fork: returns what it has seen."""
    from server.config import HallConfig, TableConfig, WebhookConfig  # noqa: PLC0415 (the test itself needs none)
    from server.entry_records import entry_to_text  # noqa: PLC0415
    from server.hub import Hub  # noqa: PLC0415
    from server.journal import Journal  # noqa: PLC0415

    chance = random.Random(seed)
    config = HallConfig(
        tables=(TableConfig(id="one", name="One", source="events:none"),),
        webhooks=(WebhookConfig(name="league", url="http://127.0.0.1:9", secret="x" * 16, events=("match_started",)),),
    )
    seen = {"runs": 0, "acknowledged": 0, "stored": 0, "killed_before_any": 0}
    for run in range(runs):
        path = folder / f"hall-{run // RUNS_PER_HALL}.sqlite"
        if run % RUNS_PER_HALL == 0:
            before = []

        def open_hub(url=f"sqlite:///{path}"):
            hub = Hub(config, lambda: Journal.open(url))
            hub.open()
            assert hub.journal_trouble is None, hub.journal_trouble
            return hub

        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            play_for_ever(open_hub(), random.Random(f"{seed} {run}"), writing, entry_to_text)
        os.close(writing)
        with closing(os.fdopen(reading, "rb")) as acknowledgements:
            wanted = chance.choice([0, 0, 1, 2, 3, 5, 8])
            lines = [acknowledgements.readline() for _ in range(wanted)]
            time.sleep(chance.random() * (0.004 if wanted else 0.08))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            lines += acknowledgements.readlines()
        told = [json.loads(line) for line in lines if line.endswith(b"\n")]
        hub = open_hub()
        stored = [json.loads(entry.body) for entry in hub.journal.read("one")]
        for entry in stored:
            del entry["clock"]  # which no acknowledgement tells
        starts = sum(entry["kind"] == "start" for entry in stored)
        assert stored[: len(before)] == before, "what had been stored has changed"
        assert stored[len(before) : len(before) + len(told)] == told, "an acknowledged entry is lost"
        assert len(stored) - len(before) - len(told) in (0, 1), "something was stored twice"
        assert hub.journal.count_messages().get("league", 0) == starts, "an entry without its message"
        hub.close()
        seen["runs"] += 1
        seen["acknowledged"] += len(told)
        seen["stored"] += len(stored) - len(before)
        seen["killed_before_any"] += not told
        before = stored
    return seen


def play_for_ever(hub, chance, writing, entry_to_text):
    """The child: gives commands, and tells of each only after it has been acknowledged."""
    from scoring.errors import ScoringError  # noqa: PLC0415
    from server import orders  # noqa: PLC0415
    from server.errors import CommandRefusedError  # noqa: PLC0415
    from server.order_schemas import HandStrokeIn, StartIn  # noqa: PLC0415

    table = hub.tables["one"]
    strokes = ({}, {"hit": ["red-1"]}, {"potted": [{"ball": "yellow", "pocket": "RL"}]}, {"cue_ball": "potted"})
    while True:
        try:
            if not table.is_match_on or chance.random() < 0.1:
                what = orders.start_match(table, StartIn(game="kaisa", players=["Anna", "Boris"], first="Anna"))
            elif chance.random() < 0.2:
                what = orders.take_back(table)
            else:
                what = orders.play_by_hand(table, HandStrokeIn.model_validate(chance.choice(strokes)))
            hub.give("one", what, "power cut")
        except (CommandRefusedError, ScoringError):
            continue
        os.write(writing, f"{entry_to_text(table.match.entries[-1])}\n".encode())


def run_apart(folder, seed, runs, limit_s):
    process = subprocess.run(
        [sys.executable, __file__, str(folder), str(seed), str(runs)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-2000:]
    return json.loads(process.stdout)


pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")


def test_thirty_kills_lose_nothing(tmp_path):
    seen = run_apart(tmp_path, 1, 30, 200)
    assert seen["runs"] == 30
    assert seen["stored"] >= seen["acknowledged"] > 30
    assert seen["killed_before_any"] > 0


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_a_thousand_kills_lose_nothing(tmp_path):
    seed = random.SystemRandom().randrange(10**9)
    print(f"seed {seed}")  # noqa: T201 (to play it again)
    assert run_apart(tmp_path, seed, 1000, 3500)["runs"] == 1000


if __name__ == "__main__":
    json.dump(cut_power(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])), sys.stdout)
