"""Rulings as JSON-ready mappings, in the names that scenarios use (contract, section 4)."""

from typing import Any

from scoring.match import MatchState, Record
from scoring.notation import answer_to_json
from scoring.rulings import Place, Question, Respot

Json = dict[str, Any]


def ruling_to_json(state: MatchState, record: Record) -> Json:
    """One stroke of a match, its ruling, and the standing after it; `ruled` is false while it waits."""
    play, ruling, after = state.started, record.ruling, record.after
    names = [side.name for side in play.terms.setup.sides]
    spelled: Json = {
        "stroke": record.number,
        "by": (ruling and ruling.by) or record.before.shooter,
        "ruled": ruling is not None,
    }
    if ruling is not None:
        spelled |= {
            "changes": [{"side": names[c.side], "points": c.points, "rule": c.rule} for c in ruling.changes],
            "foul": ruling.foul,
            "rules": list(ruling.rules),
            "respot": {respot.ball.name: place_to_json(respot) for respot in ruling.respots},
            "reasons": [
                {"message": r.message.value, "parameters": list(r.parameters), "rule": r.rule} for r in ruling.reasons
            ],
            "warnings": [{"message": r.message.value, "parameters": list(r.parameters)} for r in ruling.warnings],
            "pending": question_to_json(ruling.question) if ruling.question else None,
        }
        spelled |= {"put_back": [ball.name for ball in ruling.put_back]} if ruling.put_back else {}
    winners = [names[side] for side in after.winners]
    spelled |= {
        "scores": dict(zip(names, after.scores, strict=True)),
        "shooter": after.shooter,
        "phase": after.phase.value,
        "in_hand": sorted(ball.name for ball in after.in_hand),
        "winner": winners[0] if len(winners) == 1 else winners or None,
    }
    left = play.game.left(play.terms, after)
    spelled |= {"left": left} if left is not None else {}
    return spelled | ({"placings": [names[side] for side in after.placings]} if after.placings else {})


def place_to_json(respot: Respot) -> object:
    """Where a ball goes: the place's name, or [x, y] in mm where it has none."""
    if respot.place is Place.AT and respot.at is not None:
        return [respot.at.x_mm, respot.at.y_mm]
    return respot.place.value


def question_to_json(question: Question) -> Json:
    """A question with its choices, the most probable first."""
    return {
        "kind": question.kind.value,
        "about": question.about.name if question.about else None,
        "choices": [
            {"value": answer_to_json(choice.value)}
            | ({"probability": choice.probability} if choice.probability is not None else {})
            for choice in question.choices
        ],
        "open": question.open,
        "reason": question.reason,
    }
