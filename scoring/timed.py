"""Games against the clock: what happens when time is up, and the shots after it (KZ-36).

The clock is the caller's: it says `time_up` when `time_left_s` has run out, and the referee receives that like any
other input. The last stroke before it counts. Level sides go on with a shoot-out, if shots for one were agreed.
"""

from dataclasses import replace

from scoring.game import AnyGame, Verdict
from scoring.questions import facts_of
from scoring.rulings import Message, Reason, Ruling, Turn
from scoring.setup import Phase
from scoring.shoot_out import ShootOut
from scoring.shots import Shot
from scoring.standing import Standing, Terms, pass_turn

TIME_UP = "time_up"
S_PER_MIN = 60
NS_PER_S = 1_000_000_000
RULE = "KZ-36"


def time_left_s(terms: Terms, started_ns: int, now_ns: int) -> float | None:
    """How many seconds are left to play, 0 at the least; None for a game without a time limit."""
    limit_min = terms.options.values.get("time_limit_min", 0)
    if not isinstance(limit_min, int) or not limit_min:
        return None
    return max(0.0, limit_min * S_PER_MIN - (now_ns - started_ns) / NS_PER_S)


def time_up(game: AnyGame, terms: Terms, state: Standing) -> Verdict[Standing] | None:
    """What the end of the time brings; None for a game without a time limit, and when the shoot-out is on already."""
    if not terms.options.values.get("time_limit_min") or state.shoot_out is not None:
        return None
    said = Reason(Message.TIME_UP, (), RULE)
    needed = [(target or 0) - score for target, score in zip(game.targets(terms, state), state.scores, strict=True)]
    ahead = [side for side in state.active() if needed[side] == min(needed[one] for one in state.active())]
    if len(ahead) == 1 and terms.options.text("shoot_out_when") == "level":
        return _won(terms, state, ahead[0], said)
    shots = terms.options.number("shoot_out_shots")
    if not shots:
        winners = tuple(ahead)
        drawn = Reason(Message.DRAW, (), RULE)
        return Verdict(
            Ruling(rules=(RULE,), reasons=(said, drawn), winners=winners),
            replace(state, phase=Phase.OVER, winners=winners),
        )
    nobody = (0,) * len(state.scores)
    begins = Reason(Message.SHOOT_OUT, (shots,), RULE)
    first = terms.setup.sides[0].members[0]
    after = replace(
        state,
        phase=Phase.PLAY,
        shoot_out=ShootOut(shots, nobody, nobody),
        shooter=first,
        series=0,
        layout=None,
        in_hand=frozenset(),
    )
    return Verdict(Ruling(rules=(RULE,), reasons=(said, begins), next_shooter=first), after)


def judge_shoot_out(terms: Terms, state: Standing, shot: Shot) -> Verdict[Standing]:
    """One shot of the shoot-out: made when an object ball falls and the cue ball stays on the table."""
    assert state.shoot_out is not None
    facts = facts_of(shot.events)
    if facts.cue is None:
        return Verdict(Ruling(), state)
    fallen = {pot.ball for pot in facts.pots}
    lost = facts.cue in fallen or any(event.ball == facts.cue and not event.returned for event in facts.off)
    refused = any(entry.kind not in ("answer", "ball_number", TIME_UP) for entry in shot.referee)
    made = bool(fallen) and not lost and not refused
    side = terms.setup.side_of(state.shooter)
    shoot_out = state.shoot_out.with_shot(side, made=made)
    score = ":".join(map(str, shoot_out.made))
    said = Reason(Message.SHOOT_OUT_MADE if made else Message.SHOOT_OUT_MISSED, (state.shooter, score), RULE)
    told = replace(state, shoot_out=shoot_out, strokes=state.strokes + 1)
    if shoot_out.winner is not None:
        return _won(terms, told, shoot_out.winner, said)
    shooter, members = pass_turn(terms.setup, told)
    return Verdict(
        Ruling(rules=(RULE,), reasons=(said,), turn=Turn.PASSES), replace(told, shooter=shooter, members=members)
    )


def _won(terms: Terms, state: Standing, side: int, said: Reason) -> Verdict[Standing]:
    """A side has won."""
    wins = Reason(Message.WINS, (terms.setup.sides[side].name,), RULE)
    ruling = Ruling(rules=(RULE,), reasons=(said, wins), winners=(side,))
    return Verdict(ruling, replace(state, phase=Phase.OVER, winners=(side,)))
