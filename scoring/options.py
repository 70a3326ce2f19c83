"""Named options of the rules, their defaults and their possible values (rules, section 10).

A game reads its options by their short names (`call`); a setup gives them with the game's prefix (`kz.call`), common
ones without. Five balls inherits Russian party's options and the big pyramid the small one's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from scoring.errors import ScoringError

OptionValue: TypeAlias = str | int | bool | tuple[str, ...] | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """One choice the rules leave open; without `choices` any value of the default's type will do."""

    name: str
    default: OptionValue
    choices: tuple[str, ...] = ()


def _words(name: str, *choices: str) -> Option:
    """An option whose default is the first of its words."""
    return Option(name, choices[0], choices)


COMMON = (
    _words("foul_combination", "max", "sum"),
    _words("carom_order", "any", "after_target"),
    Option("line_is_house", default=False),
    _words("hanging_ball", "respot", "replace_after_5s"),
    _words("returned_ball", "seed", "jumped"),
    _words("yellow_middle_streak", "consecutive_strokes", "no_score_between"),
    _words("first_contact_tie", "cheaper", "dearer"),
    Option("touch_before_stroke_passes_turn", default=True),
    Option("allow_negative", default=True),
    _words("handicap_form", "target", "credit"),
    _words("draw_handling", "record", "replay", "half_points"),
    _words("stalemate_rule", "three_each_after_warning", "three_penalties_in_a_row"),
    _words("void_pot_goes_to", "by_rule", "where_it_stood", "spot"),
    _words("call_entry", "entered", "trusted"),
)
RUSSIAN_PARTY = (
    Option("target", 60),
    _words("call", "none", "ball", "ball_pocket"),
    _words("penalty_mode", "transfer", "add_to_opponent"),
    _words("mandatory_ball", "both_penalty_only", "leader_penalty_only", "off"),
    _words("rule3", "wrong_cue_ball", "combination"),
    _words("house_ban", "in_hand_only", "always"),
    Option("house_foul_points", 0),
    Option("other_error_points", 1),
    Option("opening_miss_penalised", default=False),
    Option("spot_order(red)", ("S1", "S3", "S2", "front"), ("S1", "S2", "S3", "front")),
    Option("spot_order(yellow)", ("S2", "S1", "S3", "front"), ("S1", "S2", "S3", "front")),
    Option("offtable_keeps_turn", default=False),
    _words("carom_handicap", "bonus_weak_only", "strong_carom_void"),
)
FIVE_BALLS = (
    _words("call", "ball", "ball_pocket", "none"),
    _words("error_on_pot", "prize_to_opponent", "prize_plus_penalty", "transfer"),
    Option("bare_pot_keeps_turn", default=False),
    _words("yellow_middle_streak_counts", "scored", "any"),
    Option("bank_yellow_as_middle", default=False),
    Option("bare_pots_score", default=False),
)
KAISA = (
    Option("target", 60),
    _words("call", "ball_pocket_bank", "ball_pocket", "ball", "none"),
    _words("call_for_carom", "pot_called_carom_not", "no_call_if_carom"),
    _words("bank_rule", "yellow_corner_ok", "middle_only", "any"),
    Option("bank_must_match", default=True),
    Option("second_yellow_counts", default=False),
    _words("scratch", "first_ball_hit", "rp_list", "flat2"),
    _words("penalty_mode", "subtract", "add_to_opponent", "transfer"),
    _words("nonclosing_points", "count", "clip60", "none"),
    _words("nonclosing_over60", "as59", "as58"),
    Option("penalty_can_win", default=False),
    _words("yellow_return", "if_unmoved", "always"),
    _words("cushion_spot", "front", "nearest_to_cue_ball"),
    _words("opening_ban_scope", "game", "each_player"),
    _words("house_ban", "in_hand_only", "none"),
    _words("chain_meaning", "ball_chain", "cue_path"),
    _words("offtable_plain_pot", "same", "keeps_turn"),
    Option("other_foul_points", 0),
    _words("second_white_at_start", "in_hand", "S1", "S2", "S3", "rear_middle"),
    _words("lag_choice", "winner_first", "winner_chooses"),
    Option("time_limit_min", 0),
    Option("shoot_out_shots", 3),
    _words("shoot_out_when", "level", "always"),
)
SMALL_PYRAMID = (
    Option("target", 71),
    Option("penalty_points", 5),
    _words("penalty_mode", "add_to_opponent", "transfer"),
    _words("call", "ball_pocket", "none"),
    Option("uncalled_is_foul", default=False),
    _words("safety_rule", "none", "federation"),
    _words("spot_rule", "axis", "short_cushion"),
    Option("house_bank_pot_passes", default=True),
    Option("cluster_pots_count", default=True),
    _words("last_ball", "once"),
    Option("three_target", 51),
    _words("three_penalty", "next_player", "all_opponents", "subtract"),
    Option("pair_target", 71),
    _words("pair2_switch", "pair_inning", "single_inning", "alternate"),
)
BIG_PYRAMID = (
    Option("target", 91),
    Option("bonus10", (2, 3, 4, 5)),
    Option("three_target", 66),
    Option("pair_target", 91),
)
PREFIXES: dict[str, tuple[Option, ...]] = {
    "rp": RUSSIAN_PARTY,
    "fb": FIVE_BALLS,
    "kz": KAISA,
    "mp": SMALL_PYRAMID,
    "bp": BIG_PYRAMID,
}
INHERITED: dict[str, tuple[str, ...]] = {
    "russian-party": ("rp",),
    "five-balls": ("rp", "fb"),
    "kaisa": ("kz",),
    "small-pyramid": ("mp",),
    "big-pyramid": ("mp", "bp"),
}
"""Each game's prefixes, the nearest last: a nearer one overrides, and may set what it inherits."""


@dataclass(frozen=True, slots=True)
class Options:
    """All options of one match by their short names."""

    values: Mapping[str, OptionValue]

    def text(self, name: str) -> str:
        """An option that is a word."""
        value = self.values[name]
        assert isinstance(value, str), name
        return value

    def flag(self, name: str) -> bool:
        """An option that is true or false."""
        value = self.values[name]
        assert isinstance(value, bool), name
        return value

    def number(self, name: str) -> int:
        """An option that is a number."""
        value = self.values[name]
        assert isinstance(value, int), name
        return value

    def words(self, name: str) -> tuple[str, ...]:
        """An option that is a list of words."""
        value = self.values[name]
        assert isinstance(value, tuple), name
        return tuple(str(word) for word in value)

    def numbers(self, name: str) -> tuple[int, ...]:
        """An option that is a list of numbers."""
        value = self.values[name]
        assert isinstance(value, tuple), name
        return tuple(int(number) for number in value)


def options_of(game: str, given: Mapping[str, object]) -> Options:
    """The options of a match: the given ones over the defaults; unknown names and values are refused."""
    if game not in INHERITED:
        message = f"no game is called {game!r} (known: {', '.join(INHERITED)})"
        raise ScoringError(message)
    known = {option.name: option for option in COMMON}
    values = {option.name: option.default for option in COMMON}
    inherited: dict[str, Option] = {}
    for prefix in INHERITED[game]:
        inherited |= {option.name: option for option in PREFIXES[prefix]}
        known |= {f"{prefix}.{name}": option for name, option in inherited.items()}
        values |= {option.name: option.default for option in PREFIXES[prefix]}
    for name in sorted(given, key=lambda name: _nearness(game, name)):
        if name not in known:
            message = f"options: {game} has no option {name!r} (known: {', '.join(sorted(known))})"
            raise ScoringError(message)
        values[known[name].name] = _checked(known[name], given[name], name)
    return Options(values)


def _nearness(game: str, name: str) -> tuple[int, str]:
    """Sorts the nearest prefix last."""
    prefix = name.split(".", maxsplit=1)[0]
    return (INHERITED[game].index(prefix) if prefix in INHERITED[game] else -1, name)


def _checked(option: Option, value: object, name: str) -> OptionValue:
    """The value, when the option can have it."""
    if isinstance(option.default, tuple) and isinstance(value, list | tuple):
        member = type(option.default[0])
        fits = all(isinstance(one, member) and not isinstance(one, bool) for one in value)
        known = not option.choices or set(value) <= set(option.choices)
        if value and fits and known and len(set(value)) == len(value):
            return tuple(value)
    elif isinstance(option.default, int) and not isinstance(option.default, bool):
        least = 1 if option.name.endswith("target") else 0
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
    elif isinstance(option.default, bool):
        if isinstance(value, bool):
            return value
    elif value is False and "off" in option.choices:  # YAML reads a bare `off` as false
        return "off"
    elif isinstance(option.default, str) and isinstance(value, str) and value in option.choices:
        return value
    expected = ", ".join(option.choices) or f"something like {option.default!r}"
    message = f"options: {name} cannot be {value!r} (possible: {expected})"
    raise ScoringError(message)
