"""Figures of whole matches as a table for a person and as JSON; rendered figures are an upper bound of real ones."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from server.bench.intervals import Share
from server.bench.whole_matches import ScoredMatch, ScoredStroke


def shares_of(matches: Sequence[ScoredMatch]) -> dict[str, Share]:
    """What counts, of how many, in the order of the table."""
    strokes = [stroke for match in matches for stroke in match.strokes]
    played = sum(stroke.number is not None for stroke in strokes)
    return {
        "matches exact in every stroke": Share(count=sum(m.is_exact for m in matches), total=len(matches)),
        "matches with the right result": Share(count=sum(m.has_right_result for m in matches), total=len(matches)),
        "strokes right": Share(count=sum(s.is_right and s.number is not None for s in strokes), total=played),
        "strokes asked about": Share(count=sum(s.asked for s in strokes), total=played),
        "strokes silently wrong": Share(count=sum(s.is_silent for s in strokes), total=played),
    }


def matches_table(matches: Sequence[ScoredMatch]) -> Table:
    """A row per figure."""
    table = Table(title="whole matches (rendered: an upper bound)")
    table.add_column("figure")
    for column in ("count", "of", "share", "95 % interval"):
        table.add_column(column, justify="right")
    for name, share in shares_of(matches).items():
        low, high = share.interval if share.count <= share.total else (0.0, 1.0)
        numbers = (str(share.count), str(share.total), f"{share.value:.1%}", f"{low:.1%} to {high:.1%}")
        table.add_row(name, *numbers)
    return table


def match_line(match: ScoredMatch) -> str:
    """One match for a person."""
    scores, true = (":".join(map(str, scores)) for scores in (match.scores, match.true_scores))
    right = sum(stroke.is_right for stroke in match.strokes)
    end = "to its end" if match.is_over else "not to its end"
    return (
        f"seed {match.seed}, {end}: {right} of {len(match.strokes)} strokes right, {match.questions} questions, "
        f"{scores} (played {true})"
    )


def wrong_line(seed: int, stroke: ScoredStroke) -> str:
    """A stroke that was wrong, so that somebody can look at it."""
    how = "silently" if stroke.is_silent else "after a question"
    return f"seed {seed}, stroke {stroke.number or '-'}, {stroke.t_s:.2f} s, wrong {how}: {stroke.difference}"


def matches_json(matches: Sequence[ScoredMatch]) -> dict[str, Any]:
    """The same for programs."""
    shares = shares_of(matches)
    questions = sum(match.questions for match in matches)
    return {
        "rendered": "an upper bound of what real pictures give",
        "shares": {
            name: {"count": share.count, "of": share.total, "low": share.interval[0], "high": share.interval[1]}
            for name, share in shares.items()
            if share.count <= share.total
        },
        "silent_wrong_per_1000": round(1000 * shares["strokes silently wrong"].value, 2),
        "questions_per_match": round(questions / max(1, len(matches)), 2),
        "matches": [
            {
                "seed": match.seed,
                "is_over": match.is_over,
                "scores": list(match.scores),
                "true_scores": list(match.true_scores),
                "strokes": sum(stroke.number is not None for stroke in match.strokes),
                "questions": match.questions,
                "wrong": [wrong_line(match.seed, stroke) for stroke in match.strokes if not stroke.is_right],
                "frames": match.frames,
            }
            for match in matches
        ],
        "seeds": [match.seed for match in matches],
    }
