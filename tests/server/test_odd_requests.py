"""Whatever is sent, the answer is never a failure of the server: odd values for every field of the API."""

import json
import random

import pytest
from starlette.testclient import TestClient

from scoring.balls import WHITE_1, YELLOW
from scoring.events import Contact, Potted, Rest, Strike
from scoring.shots import REFEREE_KINDS
from scoring.table import Pocket
from server.api import make_app
from server.config import HallConfig, TableConfig
from server.hub import Hub
from server.journal import Journal
from server.messages import Seen

ROUNDS = 5
MAY_BE_503 = ("/health", "/api/tables/{table_id}/calibration")  # the table has no process here, and they say so
STROKE = (
    Strike(t_s=1, ball=WHITE_1),
    Contact(t_s=1.4, ball=WHITE_1, other=YELLOW),
    Potted(t_s=2, ball=YELLOW, pocket=Pocket.RL),
    Rest(t_s=3),
)
ODD = [
    *(None, True, False, 0, -1, 1, 2**63, 10**40, 1e308, "", "Anna", "yellow", "RL", "white-1", "ball-?1", "call"),
    *(
        "carom",
        "put_back",
        "layout",
        "concede",
        "draw",
        "\0",
        "\ud83d",
        "\u202e",
        "=1+1",
        "<b>",
        "x" * 5000,
        "../../etc",
    ),
    *([], [[]], ["Anna"], ["Anna", "Boris"], ["A", ["B", "C"]], {}, {"a": {}}, {"ball": "red-1"}, {"yellow": [1, 2]}),
    *({"yellow": ["x", None]}, {"events": [{"type": "strike", "ball": "white-1", "t": -1e308}, {"type": "rest"}]}),
    *({"events": [{"type": "rest", "balls": {"yellow": [1e308, 5]}}]}, {"events": [{"t": True}]}, {"events": None}),
]


SHOTS = [
    {"events": [{"type": "strike", "ball": "white-1"}, {"type": "rest"}]},
    {"by": "Boris", "events": [{"type": "strike", "ball": "cue"}, {"type": "pocket", "ball": "7", "pocket": "ML"}]},
    {"events": [{"type": "pocket", "ball": "red-1", "pocket": "FL", "confidence": 0.5, "flagged": True}]},
    {"before": {"yellow": [1e12, -1e12]}, "events": [{"type": "off_table", "ball": "yellow", "t": 5}]},
    {"events": [], "referee": [{"type": "draw"}]},
    {"call": {"ball": "red-2"}, "events": [{"type": "strike", "ball": "ball-?1", "candidates": {"white-1": 0.5}}]},
]
PLAUSIBLE = {
    "players": [["Anna", "Boris"], ["A", "B", "C"], ["A", ["B", "C"]], [["A", "B"], ["C", "D"]]],
    "options": [{}, {"kz.target": 0}, {"mp.call": "none"}, {"call_entry": "trusted"}, {"kz.time_limit_min": 1}],
    "handicap": [{}, {"Anna": {"points": 10**9}}, {"Anna": {"off_table": ["7", "7"], "not_taken_off": 99}}],
    "first": ["Anna", "Boris"],
    "ball": ["yellow", "red-1", "7", "white-1"],
    "pocket": ["RL", "FR", "ML"],
    "bank": [True, False],
    "to": ["call", "carom", "layout", "which_white", "who_shoots", "put_back", "ball_number"],
    "value": ODD,
    "shot": SHOTS,
    "stroke": [1, 2, 3],
    "before": [1, 2],
    "type": sorted(REFEREE_KINDS),
    "when": ["before", "during", "after"],
    "number": [7, 0, 99],
    "by": ["Anna", "Boris", "Carl"],
    "winner": ["Anna", "Boris"],
    "hit": [["red-1"], ["yellow", "red-1"], ["7"]],
    "potted": [[{"ball": "red-1", "pocket": "FL"}], [{"ball": "7", "pocket": "RR", "bank": True}]],
    "cue_ball": ["stayed", "potted", "off_table"],
    "called": [True, False],
    "remove": [False, True],
}


def body_for(schema, schemas, chance):
    """A body of plausible fields, of which some are left out and often one is odd."""
    about = schemas[schema.rsplit("/", 1)[-1]]
    needed = about.get("required", [])
    names = [name for name in about["properties"] if name in PLAUSIBLE and (name in needed or chance.random() < 0.5)]
    made = {name: chance.choice(PLAUSIBLE[name]) for name in names}
    if chance.random() < 0.4:
        made[chance.choice(list(about["properties"]))] = chance.choice(ODD)
    return made


@pytest.mark.parametrize("game", ["kaisa", "russian-party", "small-pyramid"])
def test_no_request_is_answered_by_a_failure(tmp_path, game):
    tables = (TableConfig(id="one", name="One", source="events:none"),)
    hub = Hub(HallConfig(tables=tables), lambda: Journal.open(f"sqlite:///{tmp_path / 'j.sqlite'}"))
    hub.open()
    chance = random.Random(game)
    with TestClient(make_app(hub), raise_server_exceptions=False) as web:
        api = web.get("/openapi.json").json()
        failed, done = [], 0
        for _ in range(ROUNDS):
            match = {"game": game, "players": ["Anna", "Boris"], "lag": chance.random() < 0.3}
            assert web.post("/api/tables/one/match", json=match).status_code == 200
            hub.receive("one", Seen(events=STROKE))
            operations = [
                (path, method, about) for path, ways in api["paths"].items() for method, about in ways.items()
            ]
            chance.shuffle(operations)
            for path, method, about in operations:
                address = path.replace("{table_id}", chance.choice(["one"] * 12 + ["none", "%2e%2e", "é"]))
                address = address.replace("{number}", chance.choice(["1", "2", "0", "-1", "x", "9" * 30]))
                address = address.replace("{kind}", chance.choice(["txt", "json", "csv", "exe"]))
                content = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
                schema = content.get("$ref")
                body = body_for(schema, api["components"]["schemas"], chance) if schema else None
                sent = None if body is None else json.dumps(body).encode()  # with escapes: half a surrogate can be sent
                answer = web.request(
                    method.upper(), address, content=sent, headers={"Content-Type": "application/json"}
                )
                done += 1
                is_known = answer.status_code == 503 and path.startswith(MAY_BE_503)
                if answer.status_code >= 500 and not is_known:
                    failed.append((method, address, body, answer.status_code))
        assert failed == []
        assert done > 100
    hub.close()
    reopened = Hub(HallConfig(tables=tables), lambda: Journal.open(f"sqlite:///{tmp_path / 'j.sqlite'}"))
    reopened.open()
    assert reopened.journal_trouble is None
    reopened.close()
