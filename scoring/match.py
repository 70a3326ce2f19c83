"""A match: the fold of its log. Live play, replay, corrections and recovery all call the same `apply`.

How a caller drives a match::

    state = NO_MATCH
    start = StartMatch(Setup(game="kaisa", sides=singles("Anna", "Boris")))
    state = apply(state, Entry(seq=state.next_seq, what=start, who="marker", at_ns=now_ns))
    state = apply(state, Entry(seq=state.next_seq, what=Announce(Call(ball=YELLOW, pocket=Pocket.RL))))
    state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))       # a witness saw a stroke
    if state.pending:                                                          # a Question: ask people
        answer = RefereeInput(kind="answer", to=state.pending.kind, value=True)
        state = apply(state, Entry(seq=state.next_seq, what=Answer(answer), who="Anna"))
    state = apply(state, Entry(seq=state.next_seq, what=Retracted(undo_target(state)), who="Anna"))

`apply` is pure. It returns the new state, or raises a ScoringError for an entry that cannot be (an answer to what
nobody asked, a stroke that does not exist); such an entry must not be journalled. `fold(entries)` builds the state of a
whole journal. Strokes are in `state.records`, in order of play, each with its ruling; while a question is open, the
strokes after it wait (`ruling is None`) and are ruled as soon as it is answered.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

from scoring.commands import (
    Announce,
    Answer,
    CorrectShot,
    Entry,
    InsertShot,
    Observe,
    PlayShot,
    RemoveShot,
    Restored,
    Retracted,
    Said,
    StartMatch,
)
from scoring.errors import ScoringError
from scoring.game import AnyGame
from scoring.games import game_named
from scoring.options import options_of
from scoring.playlist import (
    Announced,
    Appended,
    Attached,
    Line,
    Logged,
    Operation,
    Placed,
    Playlist,
    Removed,
    Replaced,
    home_of,
    playlist_of,
)
from scoring.referee import rule
from scoring.rulings import Question, Ruling, refuse_answer
from scoring.setup import Beginning
from scoring.shots import Call, RefereeInput, Shot
from scoring.standing import Standing, Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One stroke of a match: as it counts now, with what it was ruled; `ruling` is None while it waits."""

    number: int
    shot: Shot
    before: Standing
    ruling: Ruling | None
    after: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """What a started match is played by, and where it began."""

    game: AnyGame
    terms: Terms
    start: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """All that is known of a match. `concerns` are the numbers of the strokes that the last entry was about."""

    play: Play | None = None
    log: tuple[Logged, ...] = ()
    retracted: frozenset[int] = frozenset()
    undone: tuple[int, ...] = ()
    records: tuple[Record, ...] = ()
    call: Call | None = None
    concerns: tuple[int, ...] = ()
    strokes_entered: int = 0

    @property
    def next_seq(self) -> int:
        """The number of the next entry."""
        return len(self.log) + 1

    @property
    def started(self) -> Play:
        """What the match is played by; a ScoringError before it has started."""
        if self.play is None:
            message = "no match has been started: start one first"
            raise ScoringError(message)
        return self.play

    @property
    def standing(self) -> Standing:
        """Where the match stands after the last stroke that was ruled."""
        return self.records[-1].after if self.records else self.started.start

    @property
    def asking(self) -> Record | None:
        """The stroke whose question is open."""
        waiting = self.records and self.records[-1].ruling is None
        for record in reversed(self.records if waiting else self.records[-1:]):
            if record.ruling is not None:
                return record if record.ruling.question else None
        return None

    @property
    def pending(self) -> Question | None:
        """The question that is open."""
        record = self.asking
        return record.ruling.question if record and record.ruling else None

    def record(self, number: int) -> Record:
        """A stroke by its number."""
        for record in self.records:
            if record.number == number:
                return record
        message = f"there is no stroke {number} (strokes: {', '.join(str(r.number) for r in self.records) or 'none'})"
        raise ScoringError(message)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The whole log, retracted entries included."""
        return tuple(logged.entry for logged in self.log)


NO_MATCH = MatchState()


def fold(entries: Iterable[Entry]) -> MatchState:
    """The state of a match from its whole log."""
    state = NO_MATCH
    for entry in entries:
        state = apply(state, entry)
    return state


def apply(state: MatchState, entry: Entry) -> MatchState:
    """The state after one more entry."""
    if entry.seq != state.next_seq:
        message = f"entry {entry.seq} does not follow entry {state.next_seq - 1}"
        raise ScoringError(message)
    match entry.what:
        case StartMatch():
            return _started(state, entry, entry.what)
        case Retracted() | Restored():
            return _turned_back(state, entry, entry.what)
        case what:
            state.started  # noqa: B018  refuses what comes before the start
            operations = _operations(state, what)
    numbers = tuple(operation.number for operation in operations if not isinstance(operation, Announced))
    entered = sum(isinstance(operation, Appended | Placed) for operation in operations)
    only = operations[0] if len(operations) == 1 else None
    line = Playlist([], state.call).appended(only) if isinstance(only, Appended) else None
    noted = replace(
        state,
        log=(*state.log, Logged(entry, operations)),
        undone=(),
        concerns=numbers,
        strokes_entered=state.strokes_entered + entered,
        call=None if line is not None and line.shot.events else state.call,
        records=state.records if line is None else _ruled(state, [line]),
    )
    return _check_answers(state, _refolded(noted), operations) if line is None else noted


def undo_target(state: MatchState) -> int:
    """The entry that an undo takes back: the last one that still counts."""
    for logged in reversed(state.log):
        if logged.entry.seq not in state.retracted and not isinstance(
            logged.entry.what, StartMatch | Retracted | Restored
        ):
            return logged.entry.seq
    message = "there is nothing to undo"
    raise ScoringError(message)


def redo_target(state: MatchState) -> int:
    """The entry that a redo brings back: the last one undone, as long as nothing else was entered since."""
    if not state.undone:
        message = "there is nothing to redo"
        raise ScoringError(message)
    return state.undone[-1]


def _started(state: MatchState, entry: Entry, what: StartMatch) -> MatchState:
    """The match begins."""
    if state.play is not None:
        message = "this match has already begun: start the next one in a new log"
        raise ScoringError(message)
    setup = what.setup
    game = game_named(setup.game)
    if len(setup.sides) not in game.side_counts:
        counts = " or ".join(map(str, game.side_counts))
        message = f"{setup.game} is played by {counts} sides, not {len(setup.sides)}"
        raise ScoringError(message)
    beginning = what.beginning
    if beginning.shooter is not None:
        setup.side_of(beginning.shooter)
    if beginning.scores is not None and len(beginning.scores) != len(setup.sides):
        message = f"{len(beginning.scores)} scores for {len(setup.sides)} sides: give one for each side"
        raise ScoringError(message)
    _check_balls(game, beginning)
    terms = Terms(setup, options_of(setup.game, setup.options))
    play = Play(game=game, terms=terms, start=game.start(terms, beginning))
    return replace(state, play=play, log=(Logged(entry, ()),))


def _check_balls(game: AnyGame, beginning: Beginning) -> None:
    """Refuse a beginning with balls that are not in the game, or not where it says that they are."""
    placed = beginning.layout.places if beginning.layout is not None else ()
    odd = [ball for ball in (*placed, *beginning.gone, *(beginning.in_hand or ())) if ball not in game.ball_set]
    odd += [ball for ball in beginning.gone if ball.number is None]
    odd += [ball for ball in beginning.in_hand or () if ball not in game.cue_balls]
    if odd:
        message = f"{game.name} cannot begin with {odd[0]} there: cue balls may be in hand, numbered balls gone"
        raise ScoringError(message)


def _turned_back(state: MatchState, entry: Entry, what: Retracted | Restored) -> MatchState:
    """An entry is taken back, or counts again."""
    known = {logged.entry.seq: logged.entry.what for logged in state.log}
    taken_back = what.seq in state.retracted
    if isinstance(known.get(what.seq), StartMatch | Retracted | Restored | None):
        message = f"entry {what.seq} cannot be taken back or brought back"
        raise ScoringError(message)
    if taken_back is isinstance(what, Retracted):
        message = f"entry {what.seq} {'is already taken back' if taken_back else 'was not taken back'}"
        raise ScoringError(message)
    seqs = frozenset((what.seq,))
    back = isinstance(what, Retracted)
    undone = (*state.undone, what.seq) if back else tuple(seq for seq in state.undone if seq != what.seq)
    concerned = next(logged for logged in state.log if logged.entry.seq == what.seq)
    noted = replace(
        state,
        log=(*state.log, Logged(entry, ())),
        retracted=state.retracted | seqs if back else state.retracted - seqs,
        undone=undone,
        concerns=tuple(op.number for op in concerned.operations if not isinstance(op, Announced)),
    )
    return _refolded(noted)


def _operations(state: MatchState, what: Said) -> tuple[Operation, ...]:
    """What an entry does to the list of strokes; a ScoringError when it cannot be done."""
    number = state.strokes_entered + 1
    match what:
        case PlayShot():
            return _play(state, what.shot, number)
        case Announce():
            return (Announced(what.call),)
        case Observe():
            if what.stroke is not None:
                return (Attached(state.record(what.stroke).number, (what.input,)),)
            return _play(state, Shot(referee=(what.input,)), number)
        case Answer():
            return _play(state, Shot(referee=(what.answer,)), number)
        case _:
            return (_correction(state, what, number),)


def _correction(state: MatchState, what: CorrectShot | InsertShot | RemoveShot, number: int) -> Operation:
    """What a correction does to the list of strokes."""
    match what:
        case CorrectShot():
            return Replaced(state.record(what.stroke).number, what.shot)
        case InsertShot():
            before = None if what.before is None else state.record(what.before).number
            return Placed(number, what.shot, before)
        case RemoveShot():
            return Removed(state.record(what.stroke).number)
        case _:
            assert_never(what)


def _play(state: MatchState, shot: Shot, number: int) -> tuple[Operation, ...]:
    """A stroke is added; answers go to the question, and late inputs to the stroke they are about."""
    asking, pending = state.asking, state.pending
    lines = [Line(record.number, record.shot) for record in state.records] if not shot.events else []
    attached: list[Operation] = []
    own: list[RefereeInput] = []
    for given in shot.referee:
        home = home_of(given, lines)
        if given.kind == "answer" and asking is not None and pending is not None and given.to == pending.kind:
            attached.append(Attached(asking.number, (given,)))
        elif given.kind == "answer" and not shot.events:
            asked = f"the open question is {pending.kind}" if pending else "no question is open"
            message = f"nobody asked {given.to}: {asked}"
            raise ScoringError(message)
        elif home is not None:
            attached.append(Attached(home, (given,)))
        else:
            own.append(given)
    if attached and not own and not shot.events:
        return tuple(attached)
    return (*attached, Appended(number, replace(shot, referee=tuple(own)) if attached else shot))


def _check_answers(old: MatchState, new: MatchState, operations: tuple[Operation, ...]) -> MatchState:
    """The new state, unless an answer was none of the possible ones."""
    asked, still = old.pending, new.pending
    if asked is None or asked != still or old.asking is None or new.asking is None:
        return new
    inputs = [given for operation in operations if isinstance(operation, Attached) for given in operation.inputs]
    answers = [given.value for given in inputs if given.kind == "answer" and given.to == asked.kind]
    if answers and old.asking.number == new.asking.number:
        raise refuse_answer(asked, answers[-1])
    return new


def _refolded(state: MatchState) -> MatchState:
    """The state with all strokes from the first changed one on ruled again."""
    playlist = playlist_of(logged for logged in state.log if logged.entry.seq not in state.retracted)
    kept = 0
    for record, line in zip(state.records, playlist.lines, strict=False):
        if record.number != line.number or (record.shot is not line.shot and record.shot != line.shot):
            break
        kept += 1
    known = replace(state, records=state.records[:kept], call=playlist.call)
    return replace(known, records=_ruled(known, playlist.lines[kept:]))


def _ruled(state: MatchState, lines: Iterable[Line]) -> tuple[Record, ...]:
    """The records with further strokes ruled; they wait behind an open question."""
    play = state.started
    records = list(state.records)
    standing, waits = state.standing, state.asking is not None
    for line in lines:
        ruling: Ruling | None = None
        after = standing
        if not waits:
            verdict = rule(play.game, play.terms, standing, line.shot)
            ruling, after = verdict.ruling, verdict.state
            waits = ruling.question is not None
        records.append(Record(number=line.number, shot=line.shot, before=standing, ruling=ruling, after=after))
        standing = after
    return tuple(records)
