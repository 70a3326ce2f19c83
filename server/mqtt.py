"""Tells an MQTT broker how every table is, and Home Assistant what there is to see; it takes no commands.

`PREFIX/status` is `online` or `offline`, `PREFIX/TABLE/state` an object; both are kept by the broker.
"""

import asyncio
import contextlib
import importlib.metadata
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from server.board import state_out
from server.config import MqttConfig
from server.errors import ServerError
from server.hub import Hub
from server.hub_table import HubTable
from server.text import Catalogue, catalogue

LOOK_S: Final = 0.5
_log = logging.getLogger(__name__)
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entity:
    """One thing that Home Assistant shows of a table."""

    key: str
    name: str
    platform: str = "sensor"
    more: Json = field(default_factory=dict)


_ENTITIES: Final = (
    _Entity(key="headline", name="Headline"),
    _Entity(key="score", name="Score"),
    _Entity(key="shooter", name="Shooter"),
    _Entity(key="game", name="Game"),
    _Entity(key="playing", name="Match", platform="binary_sensor", more={"device_class": "running"}),
    _Entity(key="question", name="Question", platform="binary_sensor"),
    _Entity(key="problem", name="Problem", platform="binary_sensor", more={"device_class": "problem"}),
)


@dataclass(slots=True)
class MqttTeller:
    """Publishes what changes; a broker that is away is waited for."""

    config: MqttConfig
    hub: Hub
    _told: dict[str, str] = field(default_factory=dict)

    async def run(self, client: Any) -> None:  # noqa: ANN401 (a class of an extra)
        """Tell for ever, through an open connection; what changes while the broker is away is told when it is back."""
        while True:
            for topic, body in self._states():
                if self._told.get(topic) != body:
                    self._told[topic] = body
                    if client.is_connected():
                        client.publish(topic, body, qos=1, retain=True)
            await asyncio.sleep(LOOK_S)

    @contextlib.contextmanager
    def connection(self) -> Iterator[Any]:
        """A client whose own thread connects, again and again if need be.

        Raises:
            ServerError: paho-mqtt is not installed.
        """
        try:
            from paho.mqtt.client import Client  # noqa: PLC0415 (an extra)
            from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415 (as above)
        except ImportError as error:
            message = "[mqtt] needs paho-mqtt: pip install 'cuemarker[mqtt]'"
            raise ServerError(message) from error
        status = f"{self.config.prefix}/status"
        client = Client(CallbackAPIVersion.VERSION2)
        client.will_set(status, "offline", qos=1, retain=True)
        if self.config.username:
            client.username_pw_set(self.config.username, self.config.password)
        if self.config.tls:
            client.tls_set()
        announced = [(status, "online"), *self._announcements()]

        def connected(client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:  # noqa: ANN401
            if reason.is_failure:
                _log.warning("the MQTT broker %s refuses us: %s", self.config.host, reason)
                return
            _log.info("the MQTT broker %s is told how the tables are", self.config.host)
            for topic, body in (*announced, *self._told.copy().items()):  # a broker that forgot is told everything anew
                client.publish(topic, body, qos=1, retain=True)

        def lost(_client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:  # noqa: ANN401
            if reason.is_failure:
                _log.warning("the MQTT broker %s is away: %s", self.config.host, reason)

        client.on_connect, client.on_disconnect = connected, lost
        client.reconnect_delay_set(1, 60)
        client.connect_async(self.config.host, self.config.port, keepalive=15)
        client.loop_start()
        try:
            yield client
        finally:
            if client.is_connected():
                client.publish(status, "offline", qos=1, retain=True)
            client.disconnect()
            client.loop_stop()

    def _topic(self, table_id: str) -> str:
        return f"{self.config.prefix}/{table_id}/state"

    def _states(self) -> Iterator[tuple[str, str]]:
        """Every table's state, for those who are not people: no places, which change all the time."""
        words = catalogue(self.hub.config.server.language or "en")
        for table_id, table in self.hub.tables.items():
            yield self._topic(table_id), json.dumps(_state(self.hub, table, words), ensure_ascii=False)

    def _announcements(self) -> Iterator[tuple[str, str]]:
        """What Home Assistant is to show: a device per table (its MQTT discovery)."""
        if not self.config.discovery:
            return
        for table_id, table in self.hub.tables.items():
            device = f"{self.config.prefix}_{table_id}".replace("/", "_")
            for entity in _ENTITIES:
                yield (
                    f"{self.config.discovery}/{entity.platform}/{device}/{entity.key}/config",
                    json.dumps(
                        {
                            "name": entity.name,
                            "unique_id": f"{device}_{entity.key}",
                            "state_topic": self._topic(table_id),
                            "value_template": f"{{{{ value_json.{entity.key} }}}}",
                            "availability_topic": f"{self.config.prefix}/status",
                            "device": {
                                "identifiers": [device],
                                "name": table.config.name,
                                "manufacturer": "Cuemarker",
                                "sw_version": importlib.metadata.version("cuemarker"),
                            },
                        }
                        | entity.more,
                        ensure_ascii=False,
                    ),
                )


def _state(hub: Hub, table: HubTable, words: Catalogue) -> Json:
    """A table's state; what is a yes or no is spelled as Home Assistant expects."""
    state = state_out(hub, table, words)
    match = state.match
    return {
        "headline": state.headline,
        "game": match.game_name if match else None,
        "score": " : ".join(f"{player.name} {player.score}" for player in match.players) if match else None,
        "scores": match.scores if match else {},
        "shooter": match.shooter if match else None,
        "playing": _switch(table.is_match_on),
        "question": _switch(bool(state.pending)),
        "problem": _switch(state.health.state != "ok"),
        "health": state.health.text,
    }


def _switch(on: bool) -> str:  # noqa: FBT001 (it is what is spelled)
    return "ON" if on else "OFF"
