"""A web server that waits for its turn: what it answers meanwhile, when it leads, and when it leads no more."""

import asyncio
import logging

import pytest

from scoring.balls import WHITE_1
from scoring.commands import StartMatch
from scoring.events import Rest, Strike
from scoring.setup import Beginning, Phase, Setup, singles
from server.access import Access
from server.config import HallConfig, ServerConfig, TableConfig
from server.hub import Hub
from server.journal import Fact, Journal
from server.messages import Seen
from server.runtime import listen
from server.standby import following, lead

MATCH = StartMatch(Setup(game="kaisa", sides=singles("Anna", "Boris")), Beginning(phase=Phase.OPENING, shooter="Anna"))


def hall(url, peer="127.0.0.1:1"):
    table = TableConfig(id="one", name="One", source="events:none")
    return HallConfig(server=ServerConfig(database=url, peer=peer), tables=(table,))


@pytest.fixture
def url(postgres):
    return postgres.new_database()


async def said(port, *lines):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write("\r\n".join(("GET /display/one HTTP/1.1", "Host: x", *lines, "", "")).encode())
    answer = (await reader.read()).decode()
    writer.close()
    return answer


def test_a_server_says_that_nobody_leads_and_leads_as_soon_as_the_place_is_free(url):
    async def run():
        with listen("127.0.0.1", 0) as listening, Journal.open(url) as held:
            port = listening.getsockname()[1]
            task = asyncio.create_task(following(hall(url), listening))
            page = await said(port, "Accept: text/html,*/*", "Accept-Language: fi-FI,fi")
            assert page.startswith("HTTP/1.1 503 ")
            assert "Salin pääpalvelin ei vastaa" in page
            assert "Refresh: 2" in page
            assert '{"detail": "The hall\'s main server is away.' in await said(port, "Accept: */*")
            assert not task.done()
            held.close()
            journal = await asyncio.wait_for(task, 60)
            journal.append("one", [Fact(kind="entry", body="{}")])
            journal.close()

    asyncio.run(run())


def test_a_server_that_was_superseded_says_what_that_costs_and_stops_leading(url, caplog):
    clock_s = [0.0]
    hub = Hub(hall(url), lambda: Journal.open(url), clock_s=lambda: clock_s[0])
    hub.open()
    hub.give("one", MATCH)
    hub.journal._guard.connection.driver_connection.close()  # as when the link to the database was cut
    with Journal.open(url) as other:
        hub.receive("one", Seen(events=(Strike(t_s=1, ball=WHITE_1), Rest(t_s=4))))
        clock_s[0] += 10
        hub.tick()
        assert hub.is_superseded
        with caplog.at_level(logging.ERROR):
            asyncio.run(asyncio.wait_for(lead(hub), 10))
        assert "table one: 1 entries were not stored: enter them by hand" in caplog.text
        assert len(list(other.read("one"))) == 1
    hub.close()


def test_the_servers_of_a_hall_have_the_same_codes_whoever_leads(url, tmp_path):
    codes = []
    for name in ("a", "b", "a"):
        config = hall(url).model_copy(
            update={"access": hall(url).access.model_copy(update={"secret_file": tmp_path / name})}
        )
        hub = Hub(config, lambda: Journal.open(url))
        hub.open()
        access = Access(hub)
        codes.append(access.code("one"))
        if name == "b":
            access.new_code("one")
            codes.append(access.code("one"))
        hub.close()
    assert codes[0] == codes[1]
    assert codes[1] != codes[2]
    assert codes[2] == codes[3]
