"""What the referee says, as sentences: rulings, questions, calls, what is to be done now."""

from typing import Final

from scoring.alternatives import Alternative
from scoring.balls import Ball
from scoring.readings import Change
from scoring.rulings import Message, Place, Question, Reason, Respot
from scoring.setup import Handicap
from scoring.shots import REFEREE_KINDS, AnswerValue, Call
from scoring.table import Pocket
from scoring.verify_layout import Fault
from server.text import Catalogue

PARAMETERS: Final[dict[Message, tuple[str, ...]]] = {
    Message.POTTED: ("ball", "pocket", "points"),
    Message.POTTED_WITH_CAROM: ("ball", "pocket", "points", "caroms"),
    Message.NOTHING_POTTED: (),
    Message.MISS: (),
    Message.NOT_AS_CALLED: ("ball", "pocket"),
    Message.BANK_NOT_CALLED: ("ball",),
    Message.BANK_NOT_PLAYED: ("ball",),
    Message.BANK_INTO_CORNER: ("ball",),
    Message.CHAIN_TOO_LONG: ("ball",),
    Message.CAROM_VOID_AFTER_COMBINATION: ("ball",),
    Message.NO_CAROM: ("ball",),
    Message.FORBIDDEN_FIRST_SHOT: ("ball",),
    Message.HOUSE_BALL_DIRECT: ("ball",),
    Message.YELLOW_MIDDLE_TWICE: (),
    Message.EXTRA_BALL: ("ball",),
    Message.FELL_BY_ITSELF: ("ball",),
    Message.CUE_BALL_POTTED: ("points",),
    Message.CUE_BALL_OFF_TABLE: ("points",),
    Message.BALL_OFF_TABLE: ("ball",),
    Message.BALL_CAME_BACK: ("ball",),
    Message.BALL_ON_RAIL: ("ball",),
    Message.FOUL: ("kind", "player", "points"),
    Message.CLOSING_BALL_NEEDED: ("score",),
    Message.WINS: ("side",),
    Message.DRAW: (),
    Message.CONCEDED: ("player",),
    Message.OPENS: ("player",),
    Message.LAG_LOST: ("player", "why"),
    Message.YELLOW_RETURNS: (),
    Message.MATCH_IS_OVER: (),
    Message.ODD_EVENTS_IGNORED: ("count",),
    Message.STROKE_ANNULLED: (),
    Message.MANDATORY_BALL: (),
    Message.OPENING_REPEATED: (),
    Message.BALL_WAITS: ("ball",),
    Message.BALL_TO_FREE_SPOT: ("ball",),
    Message.PRIZE_TO_OPPONENT: ("points",),
    Message.CAROM_OF_STRONGER: ("ball",),
    Message.BALLS_PUT_BACK: ("balls",),
    Message.HAS_NO_EFFECT: ("kind",),
    Message.PLACED: ("side", "place"),
    Message.LAST_BALL: ("points",),
    Message.POT_VOID: ("ball",),
    Message.HOUSE_BALL_VOID: ("ball",),
    Message.TEMPORARY_HOUSE: (),
    Message.MISS_WAIVED: (),
    Message.SAFETY_NOT_REACHED: ("points",),
    Message.CLUSTER: (),
    Message.FREE_STROKES: (),
    Message.STALEMATE_WARNED: (),
    Message.STALEMATE: (),
    Message.TARGET_OVERLOOKED: ("side",),
    Message.CANNOT_LOSE: ("side", "score"),
    Message.DRAW_REPLAYED: (),
    Message.DRAW_HALVED: (),
    Message.HANDICAP_TAKEN_OFF: ("side", "points"),
    Message.CALL_ASSUMED: ("ball", "pocket"),
    Message.TIME_UP: (),
    Message.SHOOT_OUT: ("count",),
    Message.SHOOT_OUT_MADE: ("player", "score"),
    Message.SHOOT_OUT_MISSED: ("player", "score"),
}
"""The names of each message's parameters, in the order in which a `Reason` holds them."""


def reason_sentence(reason: Reason, catalogue: Catalogue) -> str:
    """Why, in one sentence."""
    names = PARAMETERS[reason.message]
    words = {name: _parameter(name, value, catalogue) for name, value in zip(names, reason.parameters, strict=False)}
    message_id = f"ruling.{reason.message}"
    if reason.message is Message.FOUL and not words.get("points"):
        message_id = "ruling.foul_without_points"
    return _sentence(catalogue.say(message_id, words))


def _parameter(name: str, value: str | int, catalogue: Catalogue) -> object:
    """A parameter as a word; numbers stay numbers, for plurals."""
    match name:
        case "ball":
            return catalogue.ball(Ball(str(value)))
        case "balls" | "caroms":
            return ", ".join(catalogue.ball(Ball(ball)) for ball in str(value).replace(",", " ").split())
        case "pocket":
            return Pocket(str(value)) if value in set(Pocket) else value
        case "kind":
            return catalogue.say(f"kind.{value}")
        case "why":
            return catalogue.say(f"lag.{value}")
        case _:
            return value


def question_sentence(question: Question, catalogue: Catalogue) -> str:
    """What people are asked, in one sentence."""
    about = f"question.{question.kind}.about"
    if question.about is not None and about in catalogue.sentences:
        return catalogue.say(about, {"ball": question.about})
    return catalogue.say(f"question.{question.kind}")


def answer_words(value: AnswerValue, catalogue: Catalogue) -> str:
    """One possible answer, as a button would say it."""
    match value:
        case Call():
            return call_sentence(value, catalogue)
        case None:
            return catalogue.say("word.nobody")
        case str() if f"word.{value}" in catalogue.sentences and not isinstance(value, Pocket):
            return _sentence(catalogue.say(f"word.{value}"))
        case _:
            return _sentence(catalogue.word(value))


def call_sentence(call: Call, catalogue: Catalogue) -> str:
    """What was called."""
    if call.ball is None:
        return ""
    kind = "call.ball" if call.pocket is None else "call.ball_pocket_bank" if call.bank else "call.ball_pocket"
    return _sentence(catalogue.say(kind, {"ball": call.ball, "pocket": call.pocket}))


def respot_sentence(respot: Respot, catalogue: Catalogue) -> str | None:
    """Where a ball is to be put, None when nobody has to move it."""
    if respot.place is Place.IN_HAND:
        return None
    return _sentence(catalogue.say("due.put", {"ball": respot.ball, "place": catalogue.say(f"place.{respot.place}")}))


def handicap_words(handicap: Handicap, catalogue: Catalogue) -> str | None:
    """What a side was given before the start, in a few words; None for nothing."""
    points = handicap.points or handicap.credit
    said = [catalogue.say("handicap.points", {"count": points, "points": points})] if points else []
    if handicap.off_table:
        said.append(catalogue.say("handicap.off_table", {"balls": handicap.off_table}))
    if handicap.caroms:
        said.append(catalogue.say("handicap.caroms"))
    return " · ".join(said) or None


def _sentence(words: str) -> str:
    """With a capital letter."""
    return words[:1].upper() + words[1:]


def alternative_sentence(alternative: Alternative, catalogue: Catalogue) -> str:
    """How a stroke may be read otherwise, as a button would say it."""
    word = alternative.word
    named = catalogue.say(f"kind.{word}") if word in REFEREE_KINDS and alternative.change is not Change.OPENS else word
    given = {"ball": alternative.ball, "pocket": alternative.pocket, "word": named}
    return _sentence(catalogue.say(f"alternative.{alternative.change}", given))


def fault_sentence(fault: Fault, catalogue: Catalogue) -> str:
    """What is to be put right on the table; distances in whole millimetres."""
    distance = round(fault.distance_mm or 0.0)
    return _sentence(catalogue.say(f"layout.{fault.wrong}", {"ball": fault.ball, "distance": distance}))
