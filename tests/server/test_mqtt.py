"""MQTT with a real broker: states, Home Assistant's announcements, the last will, and a broker that comes back."""

import asyncio
import json
import re
import shutil
import socket
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server.compose import open_hall
from server.config import HallConfig, MqttConfig, ServerConfig, TableConfig
from server.errors import ServerError
from server.mqtt import MqttTeller

ROOT = Path(__file__).parents[2]
BROKER = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
needs_broker = pytest.mark.skipif(BROKER is None, reason="there is no mosquitto (apt install mosquitto)")
MATCH = {"t": 0.1, "type": "match", "game": "kaisa", "players": ["Anna", "Boris"]}


class Broker:
    def __init__(self, port):
        self.port, self.process = port, None

    def start(self):
        self.process = subprocess.Popen([BROKER, "-p", str(self.port)], stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def broker(port):
    broker = Broker(port)
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def hall(tmp_path, port):
    (tmp_path / "play.jsonl").write_text(json.dumps(MATCH))
    return HallConfig(
        server=ServerConfig(database=f"sqlite:///{tmp_path / 'j.sqlite'}"),
        tables=(TableConfig(id="one", name="Table 1", source=f"events:{tmp_path / 'play.jsonl'}"),),
        mqtt=MqttConfig(host="127.0.0.1", port=port),
    )


@asynccontextmanager
async def listening(port):
    """What a subscriber has heard, by topic."""
    from paho.mqtt.client import Client  # noqa: PLC0415
    from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415

    heard = {}
    client = Client(CallbackAPIVersion.VERSION2)
    client.on_connect = lambda *_: client.subscribe("#", 1)
    client.on_message = lambda _client, _data, message: heard.__setitem__(message.topic, message.payload.decode())
    client.reconnect_delay_set(1, 1)
    client.connect_async("127.0.0.1", port)
    client.loop_start()
    try:
        yield heard
    finally:
        client.disconnect()
        client.loop_stop()


async def until(condition, limit_s=30.0):
    deadline_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline_s, "waited in vain"
        await asyncio.sleep(0.05)


@needs_broker
def test_states_are_told_kept_and_told_anew_to_a_broker_that_forgot(hall, broker):
    async def play():
        async with open_hall(hall), listening(broker.port) as heard:
            await until(lambda: "Anna 0 : Boris 0" in heard.get("cuemarker/one/state", ""))
            state = json.loads(heard["cuemarker/one/state"])
            assert (state["playing"], state["question"], state["problem"]) == ("ON", "OFF", "OFF")
            assert (state["shooter"], heard["cuemarker/status"]) == ("Anna", "online")
            await asyncio.to_thread(broker.stop)
            heard.clear()
            broker.start()
            await until(lambda: {"cuemarker/one/state", "cuemarker/status"} <= heard.keys())
        async with listening(broker.port) as late:
            await until(lambda: late.get("cuemarker/status") == "offline" and "cuemarker/one/state" in late)

    asyncio.run(play())


@needs_broker
def test_home_assistant_is_told_what_there_is_to_see(hall, broker):
    async def play():
        async with open_hall(hall), listening(broker.port) as heard:
            await until(lambda: len([topic for topic in heard if topic.startswith("homeassistant/")]) == 7)
            await until(lambda: "cuemarker/one/state" in heard)
            state = json.loads(heard["cuemarker/one/state"])
            for topic, body in heard.items():
                if not topic.startswith("homeassistant/"):
                    continue
                about = json.loads(body)
                assert re.fullmatch(r"homeassistant/(binary_)?sensor/cuemarker_one/[a-z]+/config", topic)
                assert about["state_topic"] == "cuemarker/one/state"
                assert re.search(r"value_json\.(\w+)", about["value_template"]).group(1) in state
                assert about["availability_topic"] == "cuemarker/status"
            assert len({json.loads(body)["unique_id"] for body in heard.values() if "unique_id" in body}) == 7

    asyncio.run(play())


@needs_broker
def test_a_hall_that_is_killed_is_offline(broker, tmp_path):
    config = tmp_path / "hall.toml"
    config.write_text(
        f'[server]\nport = 0\n[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\n'
        '[[tables]]\nid = "one"\nname = "One"\nsource = "events:none.jsonl"\n'
    )
    code = f"from server.cli import main; main(['serve', '--config', {str(config)!r}])"
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

    async def play():
        async with listening(broker.port) as heard:
            await until(lambda: heard.get("cuemarker/status") == "online")
            process.kill()
            await until(lambda: heard["cuemarker/status"] == "offline")

    try:
        asyncio.run(play())
    finally:
        process.kill()
        process.wait()


def test_a_broker_that_is_away_does_no_harm(hall):
    async def play():
        async with open_hall(hall) as opened:
            await until(lambda: opened.hub.table("one").match.play is not None)

    asyncio.run(play())


def test_a_missing_package_is_named(hall, monkeypatch):
    monkeypatch.setitem(sys.modules, "paho.mqtt.client", None)
    teller = MqttTeller(config=hall.mqtt, hub=None)
    with pytest.raises(ServerError, match=r"pip install 'cuemarker\[mqtt\]'"), teller.connection():
        pass
