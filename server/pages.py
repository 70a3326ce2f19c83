"""The pages: plain templates in a language; no build step, nothing from elsewhere."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scoring.options import INHERITED
from server.config import DisplayConfig, Theme
from server.rulebook import COMMON_PREFIX, prefix_of, rule, rule_numbers, value_words
from server.text import Catalogue

WEB = Path(__file__).parent / "web"
STATIC = WEB / "static"
THEMES: tuple[Theme, ...] = get_args(Theme)
_YES = ("1", "true", "yes")
_environment = Environment(
    loader=FileSystemLoader(WEB / "pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One line of the API's page."""

    method: str
    path: str
    summary: str
    body: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """How a page looks: its colours; a board may be laid over a video picture, and may keep still."""

    theme: Theme = "dark"
    overlay: bool = False
    calm: bool = False


def choose_looks(hall: DisplayConfig, *, theme: str | None, overlay: str | None, calm: str | None) -> Looks:
    """What a page's address asks for, else what the hall file says."""
    return Looks(
        theme=theme if theme in THEMES else hall.theme,
        overlay=overlay in _YES,
        calm=hall.calm if calm is None else calm in _YES,
    )


def display_page(table_id: str, table_name: str, catalogue: Catalogue, looks: Looks, *, join: str) -> str:
    """The board across the room; `join` is the address of its QR code."""
    return _environment.get_template("display.html").render(
        table_id=table_id,
        table_name=table_name,
        join=join,
        theme=looks.theme,
        overlay="yes" if looks.overlay else "no",
        calm="yes" if looks.calm else "no",
        **_spoken(catalogue, "display."),
    )


def panel_page(table_id: str, table_name: str, catalogue: Catalogue, looks: Looks) -> str:
    """The players' panel."""
    spoken = _spoken(catalogue, "panel.", "ball.", "pocket.", "kind.")
    return _environment.get_template("panel.html").render(
        table_id=table_id, table_name=table_name, theme=looks.theme, **spoken
    )


def calibrate_page(table_id: str, table_name: str, catalogue: Catalogue) -> str:
    """The calibration wizard, for the staff."""
    return _environment.get_template("calibrate.html").render(
        table_id=table_id, table_name=table_name, **_spoken(catalogue, "calibrate.", "hall.log", "hall.pin")
    )


def hall_page(catalogue: Catalogue, looks: Looks) -> str:
    """All tables, for the staff."""
    return _environment.get_template("hall.html").render(theme=looks.theme, **_spoken(catalogue, "hall.", "panel."))


def rules_page(catalogue: Catalogue, looks: Looks) -> str:
    """The rule book by the game that each rule was written for; `#KZ-8` is a rule's place."""
    parts = {COMMON_PREFIX: catalogue.say("rules.shared")}
    parts |= {chain[-1].upper(): catalogue.say(f"game.{game}") for game, chain in INHERITED.items()}
    book = {
        heading: [rule(number, catalogue.language) for number in rule_numbers() if prefix_of(number) == prefix]
        for prefix, heading in parts.items()
    }
    return _environment.get_template("rules.html").render(
        book=book, value_words=value_words, language=catalogue.language, text=catalogue.say, theme=looks.theme
    )


def _spoken(catalogue: Catalogue, *prefixes: str) -> dict[str, Any]:
    """A page's language, what it says itself, and the sentences that its script says."""
    words = {name: forms[0] for name, forms in catalogue.sentences.items() if name.startswith(prefixes)}
    return {"language": catalogue.language, "text": catalogue.say, "words": json.dumps(words, ensure_ascii=False)}


def docs_page(openapi: dict[str, Any]) -> str:
    """The API's description as a page that needs no script."""
    operations = [
        Operation(
            method=method.upper(),
            path=path,
            summary=str(about.get("summary", "")),
            body=_body(about.get("requestBody")),
        )
        for path, methods in openapi["paths"].items()
        for method, about in methods.items()
    ]
    schemas = {
        name: {
            field: str(about.get("description") or about.get("type") or about.get("$ref", "").rsplit("/", 1)[-1] or "")
            for field, about in schema.get("properties", {}).items()
        }
        for name, schema in sorted(openapi.get("components", {}).get("schemas", {}).items())
    }
    return _environment.get_template("docs.html").render(
        title=openapi["info"]["title"], version=openapi["info"]["version"], operations=operations, schemas=schemas
    )


def _body(request: dict[str, Any] | None) -> str | None:
    """The name of the shape that a request's body must have."""
    if request is None:
        return None
    schema = next(iter(request["content"].values()))["schema"]
    return str(schema.get("$ref", schema.get("title", ""))).rsplit("/", 1)[-1]
