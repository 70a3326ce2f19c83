"""One line per stroke for the log, readable aloud."""

from scoring.match import MatchState
from server.phrases import question_sentence, reason_sentence
from server.text import catalogue


def stroke_line(state: MatchState, number: int) -> str:
    """Who played the stroke, what it was worth and why, and the score after it; in plain English."""
    record = next((record for record in state.records if record.number == number), None)
    if record is None:
        return f"stroke {number} no longer counts"
    if record.ruling is None:
        return f"stroke {number} waits for the answer to an earlier question"
    words, names = catalogue("en"), [side.name for side in state.started.terms.setup.sides]
    score = ", ".join(f"{name} {points}" for name, points in zip(names, record.after.scores, strict=True))
    if record.ruling.question is not None and record.ruling.is_undecided:
        why = question_sentence(record.ruling.question, words)
    else:
        why = "; ".join(reason_sentence(reason, words) for reason in (*record.ruling.reasons, *record.ruling.warnings))
    return f"stroke {number} by {record.ruling.by or record.before.shooter}: {why}. Score: {score}"
