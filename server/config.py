"""The hall file: the one place where it is read (TOML)."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from scoring.errors import ScoringError
from scoring.options import options_of
from server.errors import ConfigError

Game: TypeAlias = Literal["russian-party", "five-balls", "kaisa", "small-pyramid", "big-pyramid"]
Language: TypeAlias = Literal["ru", "en", "fi"]
Theme: TypeAlias = Literal["dark", "light", "contrast"]
OptionValue: TypeAlias = bool | int | str | tuple[str, ...] | tuple[int, ...]
WebhookEvent: TypeAlias = Literal["match_started", "stroke", "question", "correction", "match_over"]
DEFAULT_PORT = 8080


class _Section(BaseModel):
    """A part of the hall file: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ServerConfig(_Section):
    """Where the appliance listens and what it keeps."""

    host: str = Field(default="127.0.0.1", description="address to listen on; 0.0.0.0 for the hall's whole network")
    port: int = Field(default=DEFAULT_PORT, ge=0, le=65535, description="TCP port; 0 takes any free one")
    database: str = Field(
        default="",
        description="SQLAlchemy URL of the journal; empty for the file cuemarker.sqlite beside the hall file",
    )
    language: Language | None = Field(
        default=None, description="the pages' language; left out, each browser's own (Russian, English, Finnish)"
    )
    origins: tuple[str, ...] = Field(
        default=(), description="other web addresses whose pages may use this server, as https://hall.example"
    )
    public_url: str = Field(
        default="",
        pattern=r"^(https?://[^/\s]+)?$",
        description="the address that phones use, as http://hall.lan:8080; left out, this machine's own",
    )
    peer: str = Field(
        default="",
        pattern=r"^(([^\s/:@]+|\[[0-9a-fA-F:]+\]):\d{1,5})?$",
        description="where the hall's other servers reach this one, as 10.0.0.2:8080; left out, there are none",
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="log lines for people (text) or for machines (json, an object per line)"
    )

    @model_validator(mode="after")
    def _peers_share_a_journal(self) -> "ServerConfig":
        if self.peer and not self.database.startswith("postgresql"):
            message = "peer: several servers need one journal for all of them: database = 'postgresql://...'"
            raise ValueError(message)
        return self


class KeyConfig(_Section):
    """A key with which another program gives commands."""

    name: str = Field(pattern=r"^[A-Za-z0-9 _.-]{1,40}$", description="what the journal calls it")
    hash: str = Field(
        pattern=r"^sha256:[0-9a-f]{64}$", description="what `cuemarker secret key` printed beside the key"
    )
    tables: tuple[str, ...] = Field(default=(), description="the tables that it may command; left out, all")


class AccessConfig(_Section):
    """Who may give commands."""

    players: Literal["auto", "open", "code"] = Field(
        default="auto",
        description="code: a phone joins a table with the code on its display; open: whoever reaches the server may "
        "play; auto: open when the server listens on this machine only",
    )
    staff_pin_hash: str = Field(
        default="",
        pattern=r"^(\$argon2id\$.+)?$",
        description="what `cuemarker secret pin` printed; without it nobody is staff, except on a server that is open",
    )
    keys: tuple[KeyConfig, ...] = Field(default=(), description="programs that may give commands, [[access.keys]] each")
    secret_file: Path | None = Field(
        default=None, description="where the codes are kept; left out, cuemarker.secret beside the hall file"
    )


class GameConfig(_Section):
    """What is played on a table when nobody says otherwise."""

    game: Game = Field(default="kaisa", description="the game")
    players: tuple[str, ...] = Field(default=(), max_length=4, description="names offered when a match starts")
    options: dict[str, OptionValue] = Field(
        default_factory=dict, description="options of the rules that differ from their defaults"
    )

    @model_validator(mode="after")
    def _options_are_known(self) -> "GameConfig":
        try:
            options_of(self.game, self.options)
        except ScoringError as error:
            raise ValueError(str(error)) from error
        return self


class DisplayConfig(_Section):
    """How the pages look."""

    theme: Theme = Field(
        default="dark", description="dark, light or contrast; a page's own address may say otherwise: ?theme=light"
    )
    calm: bool = Field(default=False, description="nothing moves on the boards but the balls; or ?calm=1")


class MatchesConfig(_Section):
    """What happens with matches when nobody says anything."""

    close_after_min: int = Field(
        default=120, ge=0, description="a match at which nothing happens for so long is put aside; 0: never"
    )
    offer: bool = Field(default=True, description="offer a match when the balls lie as at the start of one")


class EvidenceConfig(_Section):
    """The video clips of strokes."""

    keep: bool = Field(default=True, description="keep a clip of every stroke")
    folder: Path | None = Field(
        default=None, description="where the clips are; left out, the folder cuemarker-clips beside the hall file"
    )
    limit_mb: int = Field(
        default=20_000, ge=1, description="the clips take no more room than this; the oldest go first"
    )
    spare_mb: int = Field(default=2_000, ge=0, description="room on the disk that clips never take")
    height: int = Field(
        default=720, ge=120, le=2160, description="clips of cameras that are not copied as they are have this height"
    )
    lead_s: float = Field(default=2.0, ge=0, le=10, description="a clip begins so long before the stroke")


class SensorConfig(_Section):
    """The pocket sensors of a table."""

    url: str = Field(min_length=1, description="the board's address: /dev/ttyUSB0, socket://host:port or file:PATH")


class SecondCameraConfig(_Section):
    """A second camera over the same table, where the ceiling is too low for one."""

    source: str = Field(min_length=1, description="its address, as of the first")
    table_file: Path = Field(description="what `cuemarker calibrate` wrote for it; the table must be the same")


class FinderConfig(_Section):
    """The ball finder: a network that looks now and then and knows balls that hardly differ from the cloth."""

    model: Path | None = Field(default=None, description="what `cuemarker train` wrote; left out, the package's own")
    rate_hz: float = Field(
        default=2.0, ge=0, le=5, description="looks a second at most, of 16 ms (pool) to 41 ms (snooker); 0: none"
    )


class TableConfig(_Section):
    """One table, its camera and its habits."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,30}$", description="short name used in addresses: a-z, 0-9, -")
    name: str = Field(min_length=1, max_length=40, description="what people call the table")
    source: str = Field(
        min_length=1,
        description="the camera's address: a device, rtsp://, http://, a video file, "
        "virtual:GAME for the virtual table, events:FILE to replay recorded events, or node:NAME where another "
        "machine watches it",
    )
    table_file: Path | None = Field(default=None, description="what `cuemarker calibrate` wrote; needed for a camera")
    second_camera: SecondCameraConfig | None = Field(default=None, description="a second camera, where there is one")
    default: GameConfig = Field(default_factory=GameConfig, description="the game offered first")
    sensors: SensorConfig | None = Field(default=None, description="the pocket sensors, where there are any")
    detector: Literal["fused", "contrast"] = Field(
        default="fused", description="how balls are seen: by contrast and the ball finder, or by contrast alone"
    )
    finder: FinderConfig = Field(default_factory=FinderConfig, description="the ball finder")
    ask_below: float = Field(
        default=0.8, ge=0, le=1, description="an event less sure than this is not believed: people are asked"
    )

    @property
    def node(self) -> str | None:
        """The node that watches it, where it is not this machine."""
        return self.source.removeprefix("node:") if self.source.startswith("node:") else None

    @property
    def is_virtual(self) -> bool:
        """Whether there is no real table behind it."""
        return self.source.startswith("virtual:")

    @property
    def is_replay(self) -> bool:
        """Whether recorded events are played back."""
        return self.source.startswith("events:")

    @property
    def table_files(self) -> tuple[Path, ...]:
        """The table files of its cameras, the first camera's first."""
        second = None if self.second_camera is None else self.second_camera.table_file
        return tuple(path for path in (self.table_file, second) if path is not None)

    @model_validator(mode="after")
    def _camera_needs_calibration(self) -> "TableConfig":
        if self.table_file is None and not (self.is_virtual or self.is_replay or self.node):
            message = "table_file is missing: a camera needs what `cuemarker calibrate` wrote"
            raise ValueError(message)
        if self.second_camera is not None and self.table_file is None:
            message = "second_camera is for tables with a real first one"
            raise ValueError(message)
        return self


class WebhookConfig(_Section):
    """A web address that is told what happens; only this file says where things are sent."""

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,40}$", description="what the log calls it")
    url: str = Field(pattern=r"^https?://[^/\s@]+(/\S*)?$", description="where to POST, as https://league.example/hook")
    secret: str = Field(min_length=16, description="signs every message (HMAC-SHA256), 16 characters or more")
    events: tuple[WebhookEvent, ...] = Field(default=(), description="which events; left out, all")
    tables: tuple[str, ...] = Field(default=(), description="of which tables; left out, all")


class MqttConfig(_Section):
    """An MQTT broker that is told the state of every table; needs the extra `mqtt`."""

    host: str = Field(min_length=1, description="the broker's name or address")
    port: int = Field(default=1883, ge=1, le=65535, description="its port; 8883 is usual with tls")
    tls: bool = Field(default=False, description="encrypt, and check the broker's certificate")
    username: str = Field(default="", description="the name to log in with; left out, none")
    password: str = Field(default="", description="the password that goes with it")
    prefix: str = Field(
        default="cuemarker", pattern=r"^[a-z0-9_/-]{1,60}$", description="the first part of every topic"
    )
    discovery: str = Field(
        default="homeassistant",
        pattern=r"^[a-z0-9_/-]{0,60}$",
        description="Home Assistant's topic; empty: not announced",
    )


class BrokerConfig(_Section):
    """The NATS broker between the hall and its nodes; needs the extra `nats`."""

    url: str = Field(
        pattern=r"^(nats|tls)://[^/\s]+$",
        description="its address, as nats://USER:PASSWORD@hall.lan:4222; tls:// is safe",
    )
    prefix: str = Field(
        default="cuemarker",
        pattern=r"^[a-z0-9_-]{1,30}$",
        description="the first word of every subject, one for each hall",
    )


class HallConfig(_Section):
    """A hall: its tables and its server."""

    server: ServerConfig = Field(default_factory=ServerConfig, description="where the appliance listens")
    access: AccessConfig = Field(default_factory=AccessConfig, description="who may give commands")
    display: DisplayConfig = Field(default_factory=DisplayConfig, description="how the pages look")
    matches: MatchesConfig = Field(default_factory=MatchesConfig, description="matches that nobody looks after")
    evidence: EvidenceConfig = Field(default_factory=EvidenceConfig, description="the clips of strokes")
    tables: tuple[TableConfig, ...] = Field(min_length=1, description="the tables, [[tables]] each")
    webhooks: tuple[WebhookConfig, ...] = Field(default=(), description="who is told by HTTP, [[webhooks]] each")
    mqtt: MqttConfig | None = Field(default=None, description="the MQTT broker that is told, where there is one")
    broker: BrokerConfig | None = Field(default=None, description="the broker to the nodes, where there are any")

    @field_validator("tables")
    @classmethod
    def _ids_differ(cls, tables: tuple[TableConfig, ...]) -> tuple[TableConfig, ...]:
        _all_differ("id", [table.id for table in tables])
        for table in tables:
            if table.node is not None and not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,30}", table.node):
                message = f"table {table.id}: source = {table.source!r} names no node; write node:NAME (a-z, 0-9, -)"
                raise ValueError(message)
        return tables

    @field_validator("webhooks")
    @classmethod
    def _names_differ(cls, webhooks: tuple[WebhookConfig, ...]) -> tuple[WebhookConfig, ...]:
        _all_differ("name", [webhook.name for webhook in webhooks])
        return webhooks

    @model_validator(mode="after")
    def _nodes_need_a_broker(self) -> "HallConfig":
        if self.broker is None and any(table.node is not None for table in self.tables):
            message = "broker is missing: a table of a node is heard over [broker]"
            raise ValueError(message)
        return self


def _all_differ(key: str, values: Sequence[str]) -> None:
    twice = sorted({value for value in values if values.count(value) > 1})
    if twice:
        message = f"{key} {', '.join(twice)} is used twice"
        raise ValueError(message)


def read_hall(path: Path, *, folder: Path | None = None) -> HallConfig:
    """Read a hall file; relative paths in it are taken from its folder, or from another one.

    Raises:
        ConfigError: The file cannot be read or a key is wrong; one line with the key's path.
    """
    found = read_toml(path)
    try:
        hall = HallConfig.model_validate(found)
    except ValidationError as error:
        faults = faults_of(error)
        more = f" (and {len(faults) - 1} more: cuemarker check-config {path})" if len(faults) > 1 else ""
        message = f"{path}: {faults[0]}{more}"
        raise ConfigError(message) from error
    return anchored(hall, (folder or path.parent).resolve())


def read_toml(path: Path) -> dict[str, Any]:
    """What a hall file says, unchecked.

    Raises:
        ConfigError: The file cannot be read or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); give the hall file with --config"
        raise ConfigError(message) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{path}: is no TOML: {error}"
        raise ConfigError(message) from error


def faults_of(error: ValidationError) -> list[str]:
    """Everything that is wrong, each by the key's path as a person writes it; what was given is not repeated."""
    said = []
    faults = error.errors(include_url=False, include_input=False)
    for fault in faults:
        place = fault["loc"]
        if any(len(other["loc"]) > len(place) and other["loc"][: len(place)] == place for other in faults):
            continue  # a list that has "too few" entries because each of them is wrong
        key = ""
        for part in place:
            key += f"[{part}]" if isinstance(part, int) else f".{part}"
        what = {"extra_forbidden": "no such key", "missing": "is missing"}.get(
            fault["type"], fault["msg"].removeprefix("Value error, ")
        )
        said.append(f"{key.removeprefix('.') or 'the file'}: {what}")
    return said


def anchored(hall: HallConfig, folder: Path) -> HallConfig:
    """The hall with relative paths made absolute and the journal's address filled in."""
    tables = tuple(table.model_copy(update=_absolute(table, folder)) for table in hall.tables)
    database = hall.server.database or f"sqlite:///{folder / 'cuemarker.sqlite'}"
    secret = folder / (hall.access.secret_file or "cuemarker.secret")
    clips = folder / (hall.evidence.folder or "cuemarker-clips")
    return hall.model_copy(
        update={
            "tables": tables,
            "server": hall.server.model_copy(update={"database": database}),
            "access": hall.access.model_copy(update={"secret_file": secret}),
            "evidence": hall.evidence.model_copy(update={"folder": clips}),
        }
    )


def _absolute(table: TableConfig, folder: Path) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if table.table_file is not None:
        changes["table_file"] = folder / table.table_file
    if table.second_camera is not None:
        second = {"table_file": folder / table.second_camera.table_file}
        changes["second_camera"] = table.second_camera.model_copy(update=second)
    if table.finder.model is not None:
        changes["finder"] = table.finder.model_copy(update={"model": folder / table.finder.model})
    if table.is_replay:
        changes["source"] = f"events:{folder / table.source.removeprefix('events:')}"
    return changes
