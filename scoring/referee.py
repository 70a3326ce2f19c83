"""The referee: takes one shot through what all games share, and asks the game for its ruling.

In this order: the match is over; a concession or a draw; who shot; events that cannot be; events that are doubtful and
matter; the game's own judge. Whatever people must decide first comes back as a question, with the state unchanged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from scoring.ball_numbers import Names, renamed, renamed_layout, true_names, without_gone
from scoring.balls import Ball
from scoring.doubts import Events, differing, doubts_of, patched, question_about, readings_by_choice
from scoring.events import Contact, Moved, Potted, Rest, Strike, TableEvent
from scoring.game import AnyGame, Verdict
from scoring.questions import BY_TIME, balls_in, facts_of
from scoring.rulings import Choice, Message, Question, QuestionKind, Reason, Ruling, Turn, asking, cited
from scoring.setup import Phase
from scoring.shots import AnswerValue, Call, RefereeInput, Shot
from scoring.standing import Standing, Stroke, Terms, pass_turn, stroke_of
from scoring.timed import TIME_UP, judge_shoot_out, time_up

AnyVerdict = Verdict[Standing]

Found = TypeVar("Found")


@dataclass(slots=True)
class Answers:
    """The answers that came with a shot; each serves one question, but who drove a ball in is told for good."""

    left: list[RefereeInput]
    chains: list[RefereeInput] = field(default_factory=list)

    def take(self, question: Question) -> int | None:
        """The index of the choice that an answer means; the answer is used up. None when there is no fitting answer."""
        for index, answer in enumerate(self.left):
            if answer.to == question.kind and (choice := question.choice_of(answer.value)) is not None:
                del self.left[index]
                self.chains += [answer] if question.kind is QuestionKind.CHAIN else []
                return choice
        return None

    def take_open(self, kind: QuestionKind) -> AnswerValue:
        """The value of an answer whatever it says; None when there is none."""
        for index, answer in enumerate(self.left):
            if answer.to == kind:
                del self.left[index]
                return answer.value
        return None


@dataclass(frozen=True, slots=True)
class Reading:
    """A verdict, and the shot as it was read for it: doubts decided by the answers, balls by their true names."""

    verdict: AnyVerdict
    shot: Shot


def rule(game: AnyGame, terms: Terms, state: Standing, shot: Shot) -> AnyVerdict:
    """The ruling on one shot and the standing after it."""
    return read(game, terms, state, shot).verdict


def read(game: AnyGame, terms: Terms, state: Standing, shot: Shot) -> Reading:
    """The ruling on one shot and the standing after it, with the shot as it was read."""
    if state.phase is Phase.OVER:
        return Reading(Verdict(Ruling(warnings=(Reason(Message.MATCH_IS_OVER),)), state), shot)
    ended = _agreed_end(game, terms, state, shot)
    if ended is not None:
        return Reading(ended, shot)
    if state.shoot_out is not None:
        return Reading(judge_shoot_out(terms, state, shot), shot)
    if shot.before is not None and not shot.before.keys() <= game.ball_set:
        shot = replace(shot, before={ball: at for ball, at in shot.before.items() if ball in game.ball_set})
    answers = Answers([entry for entry in shot.referee if entry.kind == "answer"])
    shooter = _who_shot(terms, state, shot, answers)
    if isinstance(shooter, Question):
        return Reading(Verdict(asking(shooter), state), shot)
    told = state if shooter == state.shooter else replace(state, shooter=shooter, series=0)
    whites = _about_whites(terms, told, shot, answers)
    if isinstance(whites, Question):
        return Reading(Verdict(asking(whites), state), shot)
    if whites.shooter != shooter:
        shooter, shot = whites.shooter, replace(shot, by=whites.shooter)
        told = replace(state, shooter=shooter, series=0)
    shot = replace(shot, events=whites.events)
    names = {**true_names(shot, game.ball_set - state.gone), **whites.names}
    if names:
        told, shot = replace(told, layout=renamed_layout(state.layout, names)), renamed(shot, names)
    shot = without_gone(shot, state.gone)
    reading = _rule_events(game, terms, told, shot, answers)
    verdict = reading.verdict
    if any(entry.kind == TIME_UP for entry in shot.referee):  # nobody agreed on a time limit
        unheard = Reason(Message.HAS_NO_EFFECT, (TIME_UP,))
        verdict = Verdict(replace(verdict.ruling, warnings=(*verdict.ruling.warnings, unheard)), verdict.state)
    ruling = verdict.ruling if shooter == state.shooter else replace(verdict.ruling, by=shooter)
    stated = Verdict(ruling, state if ruling.is_undecided else verdict.state)
    return Reading(stated, _as_read(state, told, reading.shot, shooter, is_renamed=bool(names)))


def _as_read(state: Standing, told: Standing, shot: Shot, shooter: str, *, is_renamed: bool) -> Shot:
    """The shot so that it reads the same again: who shot and who is who need not be asked or said once more."""
    if shooter != state.shooter:
        said = RefereeInput(kind="answer", to=QuestionKind.WHO_SHOOTS.value, value=shooter)
        shot = replace(shot, by=shot.by and shooter, referee=(*shot.referee, said))
    elif shot.by is not None:
        shot = replace(shot, by=shooter)
    if not is_renamed:
        return shot
    before = told.layout.places if shot.before is None and told.layout is not None else shot.before
    return replace(shot, before=before, referee=tuple(one for one in shot.referee if one.kind != "ball_number"))


def _agreed_end(game: AnyGame, terms: Terms, state: Standing, shot: Shot) -> AnyVerdict | None:
    """A concession, a draw or the end of the time ends play whatever else was entered; None when there is none."""
    for entry in shot.referee:
        if entry.kind == TIME_UP and (out := time_up(game, terms, state)) is not None:
            return out
        if entry.kind == "draw" and game.has_draws:
            winners = state.placings[:1] or state.active()
            ruling = Ruling(winners=winners, reasons=(Reason(Message.DRAW),))
            return Verdict(ruling, replace(state, phase=Phase.OVER, winners=winners))
        if entry.kind == "concede":
            player = entry.by if entry.by is not None and terms.setup.knows(entry.by) else state.shooter
            return _concede(terms, state, player)
    return None


def _concede(terms: Terms, state: Standing, player: str) -> AnyVerdict:
    """A player's side leaves the match; the last one standing wins what is left to win."""
    side = terms.setup.side_of(player)
    said = Reason(Message.CONCEDED, (player,))
    if side not in state.active():
        return Verdict(Ruling(warnings=(said,)), state)
    left = replace(state, conceded=(*state.conceded, side))
    remaining = left.active()
    if len(remaining) == 1:
        placings = (*state.placings, *remaining)
        ended = replace(left, phase=Phase.OVER, placings=placings, winners=placings[:1])
        wins = Reason(Message.WINS, (terms.setup.sides[placings[0]].name,))
        return Verdict(Ruling(winners=placings[:1], reasons=(said, wins)), ended)
    if side == terms.setup.side_of(state.shooter):
        shooter, members = pass_turn(terms.setup, left)
        left = replace(left, shooter=shooter, members=members, series=0)
        return Verdict(Ruling(turn=Turn.PASSES, reasons=(said,)), left)
    return Verdict(Ruling(reasons=(said,)), left)


def _who_shot(terms: Terms, state: Standing, shot: Shot, answers: Answers) -> str | Question:
    """The player whose stroke it was: as expected, or as answered where the record says otherwise."""
    if shot.by is None or shot.by == state.shooter or not shot.events or state.phase is Phase.LAG:
        return state.shooter
    names = [shot.by] if terms.setup.knows(shot.by) else []
    players = dict.fromkeys((*names, state.shooter, *(m for side in terms.setup.sides for m in side.members)))
    question = Question(kind=QuestionKind.WHO_SHOOTS, choices=tuple(Choice(name) for name in players))
    choice = answers.take(question)
    return question if choice is None else list(players)[choice]


@dataclass(frozen=True, slots=True)
class _Whites:
    """Who shot, who is who, and the events without a doubt about that."""

    shooter: str
    events: Events
    names: Names = field(default_factory=dict)


def _about_whites(terms: Terms, state: Standing, shot: Shot, answers: Answers) -> _Whites | Question:
    """Whether the shooter struck the other side's white, or the two were taken for each other, or the other shot."""
    own = state.cue_balls[terms.setup.side_of(state.shooter)]
    struck = [one for one in shot.events if isinstance(one, Strike) and one.candidates.keys() >= {own, one.ball}]
    if len(struck) != 1 or struck[0].ball == own:
        return _Whites(state.shooter, shot.events)
    strike = struck[0]
    events = tuple(replace(event, candidates={}) if event is strike else event for event in shot.events)
    choices = tuple(Choice(ball, strike.candidates.get(ball)) for ball in (own, strike.ball))
    which = Question(kind=QuestionKind.WHICH_WHITE, choices=choices, reason=strike.reason)
    choice = answers.take(which)
    if choice is None:
        return which
    if choice == 0:
        return _Whites(state.shooter, events, {own: strike.ball, strike.ball: own})
    players = (pass_turn(terms.setup, state)[0], state.shooter)
    who = Question(kind=QuestionKind.WHO_SHOOTS, choices=tuple(Choice(player) for player in players))
    choice = answers.take(who)
    return who if choice is None else _Whites(players[choice], events)


def _rule_events(game: AnyGame, terms: Terms, state: Standing, shot: Shot, answers: Answers) -> Reading:
    """Judge the events that can be, once no doubt matters."""
    known = state
    possible, odd = split_events(game, state, shot.events)
    warnings: tuple[Reason, ...] = ()
    question = _about_odd(game, state, shot, possible, odd)
    if question is not None:
        value = answers.take_open(question.kind)
        if value is None or (isinstance(value, Ball) and value not in game.balls):
            return Reading(Verdict(asking(question), state), shot)
        if question.kind is QuestionKind.LAYOUT and value is False:
            annulled = Reason(Message.STROKE_ANNULLED)
            return Reading(Verdict(Ruling(warnings=(annulled,)), state), shot)
        possible, state, shot = _with_odd_answered(game, state, shot, possible, value)
        warnings = (Reason(Message.ODD_EVENTS_IGNORED, (len(odd),)),) if odd else ()
    in_play = game.ball_set - state.gone
    trusted = terms.options.text("call_entry") == "trusted"

    def judge(events: Events) -> AnyVerdict:
        """The game's verdict on one reading of the stroke."""
        stroke = stroke_of(state, terms.setup, shot, facts_of(events), (*answers.left, *answers.chains))
        verdict: AnyVerdict = game.judge(terms, state, stroke)
        return _trusting(game, terms, state, stroke, verdict) if trusted else verdict

    while doubts := doubts_of(possible, in_play, shot.call):
        found = differing(possible, doubts, lambda events: effect_of(judge(events)))
        if found is None:
            possible = patched(possible, [doubt.readings[0] for doubt in doubts])
            continue
        doubt, other = found
        question = question_about(possible, doubts, doubt, other)
        choice = answers.take(question)
        if choice is None:
            return Reading(Verdict(asking(question), known), shot)
        possible = patched(possible, [readings_by_choice(doubt)[choice]])
    verdict = judge(possible)
    told = tuple(entry for entry in shot.referee if entry.kind != "answer")
    said = (*told, *answers.left, *answers.chains)
    as_read = Shot(
        by=shot.by, before=shot.before, from_hand=shot.from_hand, call=shot.call, events=possible, referee=said
    )
    if verdict.ruling.is_undecided:
        return Reading(Verdict(verdict.ruling, known), as_read)
    if warnings:
        verdict = Verdict(replace(verdict.ruling, warnings=verdict.ruling.warnings + warnings), verdict.state)
    return Reading(verdict, as_read)


def _trusting(game: AnyGame, terms: Terms, state: Standing, stroke: Stroke, verdict: AnyVerdict) -> AnyVerdict:
    """The verdict where nobody enters calls: what fell was called so, and the ruling says what was assumed."""
    question = verdict.ruling.question
    if question is None or question.kind is not QuestionKind.CALL:
        return verdict
    assumed = RefereeInput(kind="answer", to=QuestionKind.CALL.value, value=True)
    told: AnyVerdict = game.judge(terms, state, replace(stroke, answers=(*stroke.answers, assumed)))
    call = question.choices[0].value if question.choices else None
    if told.ruling.is_undecided or not isinstance(call, Call) or call.ball is None:
        return told
    rule_number = verdict.ruling.rules[0] if verdict.ruling.rules else None
    said = Reason(Message.CALL_ASSUMED, (call.ball.name, call.pocket.value if call.pocket else ""), rule_number)
    ruling = told.ruling
    rules = cited(ruling.rules, (rule_number,))
    return Verdict(replace(ruling, reasons=(*ruling.reasons, said), rules=rules), told.state)


def effect_of(verdict: AnyVerdict) -> object:
    """What of a verdict matters to people: balls of one colour are as good as each other."""
    ruling, state = verdict.ruling, verdict.state
    put = sorted((respot.ball.colour, respot.ball.number or 0, str(respot.place)) for respot in ruling.respots)
    points = tuple(ruling.points_of(side) for side in range(len(state.scores)))
    asked = (ruling.question.kind, ruling.question.choices) if ruling.question else None
    held = (state.in_hand, state.gone, state.shoot_out)
    return (points, ruling.foul, state.shooter, state.phase, put, held, ruling.winners, asked)


def split_events(game: AnyGame, state: Standing, events: Sequence[TableEvent]) -> tuple[Events, Events]:
    """The events that can be, and those that cannot: balls that do not exist, lie in a hand, or are already down."""
    struck = {event.ball for event in events if isinstance(event, Strike)}
    put = [event for event in events if isinstance(event, Moved) and event.origin is None]
    placed = {event.ball for event in put}
    returned = {event.ball for event in put if event.target and not struck}  # a hand may bring a ball back
    there = game.ball_set.difference(state.in_hand - struck - placed, state.gone - returned)
    possible: list[TableEvent] = []
    odd: list[TableEvent] = []
    down: set[Ball] = set()
    for event in sorted(events, key=BY_TIME):
        if isinstance(event, Rest):
            known = {ball: at for ball, at in event.balls.items() if ball in there and ball not in down}
            possible.append(event if len(known) == len(event.balls) else replace(event, balls=known))
            continue
        balls = balls_in(event)
        named = there.issuperset(balls) or all(ball in there or ball.is_unknown for ball in balls)
        itself = isinstance(event, Contact) and event.ball == event.other
        if not named or itself or (down and down.intersection(balls) and not isinstance(event, Moved)):
            odd.append(event)
            continue
        if isinstance(event, Potted):
            down.add(event.ball)
        possible.append(event)
    return tuple(possible), tuple(odd)


def _about_odd(game: AnyGame, state: Standing, shot: Shot, possible: Events, odd: Events) -> Question | None:
    """What to ask about a stroke that cannot have been as it was seen; None when it can."""
    strikes = tuple(dict.fromkeys(event.ball for event in possible if isinstance(event, Strike)))
    count = sum(isinstance(event, Strike) for event in possible)
    if odd or (count > 1 and len(strikes) == 1):
        names = ", ".join(sorted({f"{event.kind} {' '.join(map(str, balls_in(event)))}" for event in odd}))
        choices = (Choice(value=True), Choice(value=False))
        return Question(kind=QuestionKind.LAYOUT, choices=choices, open=True, reason=names or "struck twice")
    happened = sum(not isinstance(event, Moved | Rest) for event in possible)
    if state.phase is Phase.LAG or len(strikes) == 1 or not happened:
        return None
    if len(strikes) > 1:
        return Question(kind=QuestionKind.WHICH_WHITE, choices=tuple(Choice(ball) for ball in strikes), open=True)
    return _about_no_strike(game, shot, possible, happened)


def _about_no_strike(game: AnyGame, shot: Shot, possible: Events, happened: int) -> Question | None:
    """What to ask when things happened though nobody was seen to strike: who struck, or did a ball fall by itself."""
    fallen = [event.ball for event in possible if isinstance(event, Potted)]
    if len(fallen) == happened:
        told = {entry.ball for entry in shot.referee if entry.kind == "fell_by_itself"}
        if told.issuperset(fallen) or None in told:
            return None
        answers = [entry.value for entry in shot.referee if entry.kind == "answer" and entry.to == "fell_by_itself"]
        if not answers or answers[0] is True:
            choices = (Choice(value=True), Choice(value=False))
            return Question(kind=QuestionKind.FELL_BY_ITSELF, choices=choices, about=fallen[0])
    return Question(kind=QuestionKind.WHICH_WHITE, choices=tuple(Choice(ball) for ball in game.cue_balls), open=True)


def _with_odd_answered(
    game: AnyGame, state: Standing, shot: Shot, possible: Events, value: AnswerValue
) -> tuple[Events, Standing, Shot]:
    """The stroke as an answer makes it possible: the struck ball, the true layout, or the odd events left out."""
    if isinstance(value, Ball):
        strike = next((event for event in possible if isinstance(event, Strike) and event.ball == value), None)
        begun = strike or Strike(t_s=possible[0].t_s if possible else 0.0, ball=value)
        rest = tuple(event for event in possible if not isinstance(event, Strike))
        return (begun, *rest), state, shot
    if isinstance(value, dict):
        there = replace(state, in_hand=state.in_hand - value.keys(), gone=state.gone - value.keys())
        possible, _ = split_events(game, there, shot.events)
        return _one_strike(possible), there, replace(shot, before={**(shot.before or {}), **value})
    if not any(isinstance(event, Strike) for event in possible):  # it fell by itself
        fell = tuple(RefereeInput(kind="fell_by_itself", ball=e.ball) for e in possible if isinstance(e, Potted))
        return possible, state, replace(shot, referee=shot.referee + fell)
    return _one_strike(possible), state, shot


def _one_strike(events: Events) -> Events:
    """The events with the first strike only."""
    strikes = [event for event in events if isinstance(event, Strike)]
    return tuple(event for event in events if not isinstance(event, Strike) or event is strikes[0])
