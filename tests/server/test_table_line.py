"""The line to a table's process: replies find their questions, refusals and silence are told, the wizard is staff's."""

import asyncio

import pytest
from starlette.testclient import TestClient

from server.api import make_app
from server.calibration_orders import CalibrationState, Refused, Reply, Still, TakeStill, TellState
from server.config import AccessConfig, HallConfig, ServerConfig, TableConfig
from server.errors import CommandRefusedError, Refusal
from server.hub import Hub
from server.journal import Journal
from server.table_line import TableLine

MEASURES = {"length_mm": 2840, "width_mm": 1420, "ball_mm": 68}


def talk(answers):
    """A line to a process that answers each question at once with what `answers` makes of it; what was asked."""
    line, asked = TableLine(), []

    def send(question):
        asked.append(question)
        answer = answers(question.what)
        if answer is not None:
            line.hear(Reply(number=question.number, answer=answer))

    line.connect(send)
    return line, asked


def test_every_reply_finds_its_question_whatever_the_order():
    async def both():
        line, asked = talk(lambda _: None)
        first, second = (
            asyncio.ensure_future(line.ask(TellState())),
            asyncio.ensure_future(line.ask(TakeStill(most_px=9))),
        )
        await asyncio.sleep(0)
        line.hear(Reply(number=asked[1].number, answer=Still(jpeg=b"two")))
        line.hear(Reply(number=asked[0].number, answer=CalibrationState()))
        line.hear(Reply(number=99, answer=CalibrationState()))  # nobody waits for it
        return await first, await second

    assert asyncio.run(both()) == (CalibrationState(), Still(jpeg=b"two"))


def refusal_of(line):
    with pytest.raises(CommandRefusedError) as caught:
        asyncio.run(line.ask(TellState()))
    return caught.value.refusal


def test_refusals_silence_and_absence_are_told(monkeypatch):
    monkeypatch.setattr("server.table_line.ANSWER_S", 0.05)
    assert refusal_of(talk(lambda _: Refused(refusal=Refusal.NO_PICTURE))[0]) is Refusal.NO_PICTURE
    assert refusal_of(talk(lambda _: None)[0]) is Refusal.NO_ANSWER
    assert refusal_of(TableLine()) is Refusal.NO_ANSWER
    broken = TableLine()
    broken.connect(lambda _: (_ for _ in ()).throw(BrokenPipeError()))
    assert refusal_of(broken) is Refusal.NO_ANSWER


def test_a_process_that_goes_away_leaves_nobody_waiting():
    async def cut():
        line, _ = talk(lambda _: None)
        waiting = asyncio.ensure_future(line.ask(TellState()))
        await asyncio.sleep(0)
        line.connect(lambda _: None)
        with pytest.raises(CommandRefusedError):
            await waiting

    asyncio.run(cut())


@pytest.fixture
def hub(tmp_path):
    database = f"sqlite:///{tmp_path / 'j.sqlite'}"
    config = HallConfig(
        server=ServerConfig(database=database),
        access=AccessConfig(players="open", secret_file=tmp_path / "secret"),
        tables=(TableConfig(id="one", name="One", source="virtual:kaisa"),),
    )
    hub = Hub(config, lambda: Journal.open(database))
    hub.open()
    yield hub
    hub.close()


def test_the_wizards_answers_are_in_the_language_of_the_page(hub):
    hub.table("one").line = talk(
        lambda what: Still(jpeg=b"\xff") if isinstance(what, TakeStill) else CalibrationState()
    )[0]
    client = TestClient(make_app(hub), base_url="http://127.0.0.1")
    assert "Kalibrointi" in client.get("/calibrate/one?lang=fi").text
    state = client.get("/api/tables/one/calibration?lang=ru").json()
    assert (state["doing"], state["proposal"], state["has_picture"]) == ("", None, False)
    still = client.get("/api/tables/one/calibration/still.jpg?width=640")
    assert (still.content, still.headers["content-type"]) == (b"\xff", "image/jpeg")
    assert client.post("/api/tables/one/calibration/measure", json=MEASURES).status_code == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"length_mm": -1},
        {"length_mm": 100},
        {"ball_mm": 5000},
        {"corners_px": [[0, 0]]},
        {"corners_px": [[0, 0], [1, 1], [2, 2], ["nan", 3]]},
        {"house": "up"},
        {"unknown": 1},
    ],
)
def test_measures_that_make_no_table_are_refused_in_one_line(hub, wrong):
    hub.table("one").line, asked = talk(lambda _: CalibrationState())
    client = TestClient(make_app(hub), base_url="http://127.0.0.1")
    answer = client.post("/api/tables/one/calibration/measure", json=MEASURES | wrong)
    assert answer.status_code == 422
    assert "\n" not in answer.json()["detail"]
    assert asked == []
