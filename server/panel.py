"""What people may do at a table, for the panel: controls, games with their options, strokes with other readings."""

from collections.abc import Callable, Sequence
from typing import Literal

from scoring.alternatives import alternatives
from scoring.commands import Announce, Answer, Command, CorrectShot, InsertShot, Observe, PlayShot, RemoveShot
from scoring.errors import ScoringError
from scoring.events import Contact, CushionHit, HouseLine, Moved, OffTable, Potted, Strike, TableEvent
from scoring.games import GAMES, game_named
from scoring.match import MatchState, Record, redo_target, undo_target
from scoring.notation import shot_to_json
from scoring.options import COMMON, INHERITED, PREFIXES, Option, OptionValue, options_of
from scoring.rulings import Ruling
from scoring.scoreboard import due_of
from scoring.setup import Phase
from scoring.standing import Standing
from server.hub_table import HubTable
from server.phrases import alternative_sentence, call_sentence, reason_sentence
from server.records import moment
from server.schemas import AlternativeOut, ControlsOut, GameOut, LineUpOut, LogOut, OptionOut, OptionValueOut
from server.text import Catalogue

MOST_ALTERNATIVES = 12
MAIN_OPTIONS = frozenset(
    ("target", "call", "call_entry", "time_limit_min", "mandatory_ball", "scratch", "bank_rule", "penalty_points")
)


def controls_out(state: MatchState, catalogue: Catalogue) -> ControlsOut:
    """What people may do in a match."""
    if state.play is None:
        return ControlsOut(
            due="start",
            call="none",
            cue_ball=None,
            balls=[],
            gone=[],
            members=[],
            entries=0,
            can_undo=False,
            can_redo=False,
            undo_text=None,
        )
    game, terms, standing = state.play.game, state.play.terms, state.standing
    cue_ball = standing.cue_balls[terms.setup.side_of(standing.shooter)]
    undone = _target(undo_target, state)
    return ControlsOut(
        due=due_of(state).value,
        call=terms.options.text("call"),
        cue_ball=cue_ball.name,
        balls=[ball.name for ball in game.balls if ball != cue_ball and ball not in standing.gone],
        gone=[ball.name for ball in game.balls if ball in standing.gone],
        members=[member for side in terms.setup.sides for member in side.members],
        entries=len(state.entries),
        can_undo=undone is not None,
        can_redo=_target(redo_target, state) is not None,
        undo_text=None if undone is None else command_words(state.entries[undone - 1].what, catalogue),
    )


def command_words(what: Command, catalogue: Catalogue) -> str:  # noqa: PLR0911 (one line per class)
    """An entry of a match's log in a few words."""
    match what:
        case Announce():
            return call_sentence(what.call, catalogue) or catalogue.say("entry.call")
        case Observe():
            return catalogue.say("entry.referee", {"kind": catalogue.say(f"kind.{what.input.kind}")})
        case PlayShot(shot=shot) if not shot.events and shot.referee:
            return catalogue.say("entry.referee", {"kind": catalogue.say(f"kind.{shot.referee[0].kind}")})
        case PlayShot():
            return catalogue.say("entry.stroke")
        case Answer():
            return catalogue.say("entry.answer")
        case CorrectShot():
            return catalogue.say("entry.correct", {"stroke": what.stroke})
        case InsertShot():
            return catalogue.say("entry.insert")
        case RemoveShot():
            return catalogue.say("entry.remove", {"stroke": what.stroke})
        case _:
            return catalogue.say(f"entry.{type(what).__name__.lower()}")


def alternatives_out(table: HubTable, record: Record, catalogue: Catalogue) -> list[AlternativeOut]:
    """The other readings of a stroke, the most probable first."""
    found = alternatives(table.match, record.number)[:MOST_ALTERNATIVES]
    return [
        AlternativeOut(
            text=alternative_sentence(one, catalogue),
            outcome=outcome_words(table.match, record, one.ruling, one.after, catalogue),
            probability=one.probability,
            shot=shot_to_json(one.idea.shot),
        )
        for one in found
    ]


def outcome_words(state: MatchState, record: Record, ruling: Ruling, after: Standing, catalogue: Catalogue) -> str:
    """What a stroke would be worth: points by side, or the first reason; then who plays."""
    sides = state.started.terms.setup.sides
    said = [
        f"{side.name} {points:+d}".replace("-", "−")
        for index, side in enumerate(sides)
        if (points := ruling.points_of(index))
    ]
    if not said and ruling.reasons:
        said.append(reason_sentence(ruling.reasons[0], catalogue))
    if after.phase is not Phase.OVER and after.shooter != record.before.shooter:
        said.append(catalogue.say("headline.turn", {"player": after.shooter}))
    return " · ".join(said)


def event_words(events: Sequence[TableEvent], catalogue: Catalogue) -> list[str]:
    """A stroke's events in words, with their time from its start."""
    start_s = events[0].t_s if events else 0.0
    lines = []
    for event in events:
        doubt = "" if event.confidence >= 1.0 else f" ({event.confidence:.0%})"
        lines.append(f"{event.t_s - start_s:.2f} s  {_event(event, catalogue)}{doubt}")
    return lines


def _event(event: TableEvent, catalogue: Catalogue) -> str:  # noqa: PLR0911 (one line per class)
    match event:
        case Strike():
            return catalogue.say("event.strike", {"ball": event.ball})
        case Contact():
            return catalogue.say("event.contact", {"ball": event.ball, "other": event.other})
        case CushionHit(cushion=None):
            return catalogue.say("event.jaw", {"ball": event.ball, "pocket": event.pocket or ""})
        case CushionHit():
            return catalogue.say("event.cushion", {"ball": event.ball, "cushion": event.cushion})
        case HouseLine():
            return catalogue.say(f"event.house_line.{event.direction}", {"ball": event.ball})
        case Potted():
            return catalogue.say("event.pocket", {"ball": event.ball, "pocket": event.pocket})
        case OffTable():
            return catalogue.say("event.returned" if event.returned else "event.off_table", {"ball": event.ball})
        case Moved():
            return catalogue.say("event.moved", {"ball": event.ball})
        case _:
            return catalogue.say("event.rest")


def games_out(catalogue: Catalogue) -> list[GameOut]:
    """All games with their options and the defaults of the book."""
    return [
        GameOut(
            name=name,
            text=catalogue.say(f"game.{name}"),
            line_ups=_line_ups(name, catalogue),
            handicaps=["off_table"] if name.endswith("pyramid") else [] if name == "kaisa" else ["points", "caroms"],
            options=[_option_out(name, full, option, catalogue) for full, option in options_in(name)],
        )
        for name in GAMES
    ]


def options_in(game: str) -> list[tuple[str, Option]]:
    """A game's options by the names that a setup gives them, its own before those that all games share."""
    nearest: dict[str, tuple[str, Option]] = {}
    for prefix in INHERITED[game]:
        nearest |= {option.name: (f"{prefix}.{option.name}", option) for option in PREFIXES[prefix]}
    own = dict(nearest.values())
    shared = {option.name: option for option in COMMON if option.name not in nearest}
    return [*own.items(), *shared.items()]


def _option_out(game: str, full: str, option: Option, catalogue: Catalogue) -> OptionOut:
    default = options_of(game, {}).values[option.name]
    return OptionOut(
        name=full,
        text=catalogue.say(f"option.{option.name}"),
        kind=_kind(default),
        default=default,
        choices=_choices(option, default, catalogue),
        is_ordered=isinstance(default, tuple) and isinstance(default[0], str),
        is_main=option.name in MAIN_OPTIONS,
    )


def _choices(option: Option, default: OptionValue, catalogue: Catalogue) -> list[OptionValueOut]:
    """The values of an option, or of what its list holds: words, or the numbers of balls."""
    if isinstance(default, tuple) and isinstance(default[0], int):
        return [OptionValueOut(value=number, text=str(number)) for number in range(1, 16)]
    words = option.choices if isinstance(default, str | tuple) else ()
    return [OptionValueOut(value=word, text=catalogue.say(f"choice.{word}")) for word in words]


def _kind(default: OptionValue) -> Literal["flag", "number", "word", "list"]:
    match default:
        case bool():
            return "flag"
        case int():
            return "number"
        case str():
            return "word"
        case _:
            return "list"


def _line_ups(game: str, catalogue: Catalogue) -> list[LineUpOut]:
    """Who may play against whom."""
    found = [("two", "singles", [1, 1])]
    if 3 in game_named(game).side_counts:
        found += [("three", "singles", [1, 1, 1]), ("pair-1", "pair-1", [1, 2]), ("pair-2", "pair-2", [1, 2])]
    else:
        found.append(("pairs", "singles", [2, 2]))
    return [
        LineUpOut.model_validate({"text": catalogue.say(f"line_up.{word}"), "format": form, "sides": sides})
        for word, form, sides in found
    ]


def log_out(state: MatchState, catalogue: Catalogue) -> list[LogOut]:
    """The journal of the match that is on: who did what, when and why."""
    return [
        LogOut(
            seq=entry.seq,
            what=command_words(entry.what, catalogue),
            who=entry.who,
            at=moment(entry.at_ns),
            why=entry.why,
            is_taken_back=entry.seq in state.retracted,
        )
        for entry in state.entries
    ]


def _target(find: Callable[[MatchState], int], state: MatchState) -> int | None:
    """The entry that an undo or redo is about."""
    try:
        return find(state)
    except ScoringError:
        return None
