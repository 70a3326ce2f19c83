"""The rule book: what each rule number means, in three languages, and the option that can change it.

The sentences are a gettext catalogue of their own (`rulebook.po`, by rule number), so translators can edit them. Names,
defaults and choices of options come from `scoring.options`, so the book cannot disagree with the referee.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from babel.messages.pofile import read_po

from scoring.options import COMMON, INHERITED, PREFIXES, Option, OptionValue
from server.config import Language
from server.errors import ServerError
from server.text import FOLDER

DOMAIN: Final = "rulebook"
COMMON_PREFIX: Final = "C"
RULE_OPTIONS: Final[dict[str, tuple[str, ...]]] = {
    "C-6": ("line_is_house",),
    "C-25": ("foul_combination",),
    "C-32": ("carom_order",),
    "RP-8": ("rp.opening_miss_penalised",),
    "RP-14": ("yellow_middle_streak",),
    "RP-15": ("rp.call", "call_entry"),
    "RP-17": ("rp.target",),
    "RP-18": ("rp.mandatory_ball",),
    "RP-29": ("rp.other_error_points",),
    "RP-32": ("rp.house_foul_points",),
    "RP-33": ("rp.house_ban",),
    "RP-42": ("rp.spot_order(red)", "rp.spot_order(yellow)"),
    "RP-45": ("rp.offtable_keeps_turn",),
    "RP-50": ("handicap_form",),
    "RP-51": ("rp.carom_handicap",),
    "RP-A1": ("rp.penalty_mode", "allow_negative"),
    "RP-A2": ("rp.mandatory_ball",),
    "RP-A3": ("yellow_middle_streak",),
    "RP-A4": ("rp.rule3",),
    "RP-A5": ("rp.house_foul_points",),
    "RP-A7": ("line_is_house",),
    "RP-A8": ("handicap_form",),
    "RP-A9": ("rp.carom_handicap",),
    "RP-A10": ("touch_before_stroke_passes_turn",),
    "RP-A11": ("foul_combination",),
    "RP-A12": ("void_pot_goes_to",),
    "FB-3": ("fb.call", "call_entry"),
    "FB-6": ("fb.error_on_pot",),
    "FB-9": ("fb.bare_pot_keeps_turn",),
    "FB-13": ("fb.bare_pots_score",),
    "FB-A1": ("fb.call",),
    "FB-A2": ("fb.error_on_pot",),
    "FB-A4": ("carom_order",),
    "FB-A5": ("fb.bare_pot_keeps_turn",),
    "FB-A6": ("fb.yellow_middle_streak_counts",),
    "FB-A7": ("fb.bank_yellow_as_middle",),
    "KZ-6": ("kz.lag_choice",),
    "KZ-10": ("kz.second_white_at_start",),
    "KZ-15": ("kz.call", "call_entry"),
    "KZ-17": ("kz.call_for_carom",),
    "KZ-22": ("kz.bank_rule",),
    "KZ-25": ("yellow_middle_streak",),
    "KZ-30": ("kz.target",),
    "KZ-36": ("kz.time_limit_min", "kz.shoot_out_shots", "kz.shoot_out_when"),
    "KZ-43": ("kz.penalty_mode", "allow_negative"),
    "KZ-47": ("kz.other_foul_points",),
    "KZ-A1": ("kz.bank_rule",),
    "KZ-A2": ("kz.call_for_carom",),
    "KZ-A3": ("kz.second_yellow_counts",),
    "KZ-A4": ("kz.scratch",),
    "KZ-A5": ("kz.penalty_mode",),
    "KZ-A6": ("kz.nonclosing_points",),
    "KZ-A7": ("kz.nonclosing_over60",),
    "KZ-A8": ("kz.penalty_can_win",),
    "KZ-A9": ("kz.yellow_return",),
    "KZ-A10": ("kz.cushion_spot",),
    "KZ-A11": ("kz.opening_ban_scope",),
    "KZ-A12": ("kz.house_ban",),
    "KZ-A13": ("kz.chain_meaning",),
    "KZ-A14": ("kz.offtable_plain_pot",),
    "KZ-A15": ("kz.bank_must_match",),
    "KZ-A16": ("first_contact_tie",),
    "MP-5": ("mp.target",),
    "MP-10": ("mp.call", "call_entry"),
    "MP-13": ("mp.uncalled_is_foul",),
    "MP-14": ("mp.safety_rule",),
    "MP-20": ("mp.penalty_points",),
    "MP-43": ("stalemate_rule",),
    "MP-50": ("mp.spot_rule",),
    "MP-60": ("mp.three_target",),
    "MP-64": ("mp.three_penalty",),
    "MP-70": ("mp.pair_target",),
    "MP-73": ("mp.pair2_switch",),
    "MP-A1": ("mp.penalty_mode", "allow_negative"),
    "MP-A3": ("hanging_ball",),
    "MP-A4": ("returned_ball",),
    "MP-A5": ("mp.house_bank_pot_passes",),
    "MP-A6": ("mp.pair2_switch",),
    "MP-A8": ("mp.cluster_pots_count",),
    "MP-A9": ("mp.last_ball",),
    "MP-A10": ("line_is_house",),
    "MP-A13": ("draw_handling",),
    "BP-1": ("bp.bonus10",),
    "BP-3": ("bp.target",),
    "BP-6": ("bp.penalty_points",),
    "BP-8": ("bp.three_target",),
    "BP-A1": ("bp.penalty_points",),
    "BP-A2": ("bp.three_target", "bp.pair_target"),
    "BP-A4": ("stalemate_rule",),
}
"""The options that change a rule, by their full names."""


class RulebookError(ServerError):
    """A rule, game or option is asked for that the book does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOption:
    """An option that changes a rule: its full name, its default, and its words (none: any value like the default)."""

    name: str
    default: OptionValue
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of the book in one language."""

    number: str
    text: str
    options: tuple[RuleOption, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """Rules that belong together, under their English heading."""

    heading: str
    numbers: tuple[str, ...]


def rule_text(number: str, language: Language) -> str:
    """What a rule says, in one or two plain sentences."""
    try:
        return _sentences(language)[number]
    except KeyError:
        message = f"the rule book has no rule {number!r} (its numbers look like C-6, KZ-8, MP-A3)"
        raise RulebookError(message) from None


def rule(number: str, language: Language) -> Rule:
    """A rule with the options that change it."""
    options = tuple(_rule_option(name) for name in RULE_OPTIONS.get(number, ()))
    return Rule(number=number, text=rule_text(number, language), options=options)


def rule_numbers() -> tuple[str, ...]:
    """All rule numbers, in the order of the book."""
    return tuple(number for chapter in chapters() for number in chapter.numbers)


def rules_of(game: str, language: Language) -> tuple[Rule, ...]:
    """The rules of one game: those that all games share, those that it inherits, and its own."""
    if game not in INHERITED:
        message = f"no game is called {game!r} (known: {', '.join(INHERITED)})"
        raise RulebookError(message)
    prefixes = {COMMON_PREFIX, *(prefix.upper() for prefix in INHERITED[game])}
    return tuple(rule(number, language) for number in rule_numbers() if prefix_of(number) in prefixes)


def prefix_of(number: str) -> str:
    """The letters of a rule number, which name the game it was written for."""
    return number.split("-", maxsplit=1)[0]


@cache
def chapters() -> tuple[Chapter, ...]:
    """The book's chapters, headings in English: a comment of the English catalogue begins each."""
    found: list[tuple[str, list[str]]] = []
    for number, comments in _numbers_and_comments():
        if comments:
            found.append((" ".join(comments), []))
        found[-1][1].append(number)
    return tuple(Chapter(heading=heading, numbers=tuple(numbers)) for heading, numbers in found)


def option_named(name: str) -> Option:
    """An option by its full name (`kz.call`, `foul_combination`)."""
    prefix, _, short = name.rpartition(".")
    chain = next((chain for chain in INHERITED.values() if chain[-1] == prefix), ())
    known: Iterable[Option] = COMMON if not prefix else (one for near in reversed(chain) for one in PREFIXES[near])
    for option in known:
        if option.name == short:
            return option
    message = f"no option is called {name!r}"
    raise RulebookError(message)


def value_words(value: OptionValue) -> str:
    """An option's value as a setup file spells it."""
    match value:
        case bool():
            return "true" if value else "false"
        case tuple():
            return f"[{', '.join(map(str, value))}]"
        case _:
            return str(value)


def page() -> str:
    """The book in English as a page of Markdown (docs/rulebook.md)."""
    lines = [
        "# Rule book",
        "",
        "<!-- Written by `cuemarker rules --page`; change the catalogues or the options, not this page. -->",
        "",
        "What each rule number in a ruling means. An option can be set for a match; its first value is the default.",
        "",
    ]
    for chapter in chapters():
        lines += [f"## {chapter.heading}", "", "| rule | what it says | option |", "|---|---|---|"]
        for number in chapter.numbers:
            one = rule(number, "en")
            lines.append(f"| {number} | {one.text} | {'<br>'.join(_option_words(option) for option in one.options)} |")
        lines.append("")
    return "\n".join(lines)


def _option_words(option: RuleOption) -> str:
    """An option with its values, the default first."""
    default = value_words(option.default)
    flags = [value_words(value=not option.default)] if isinstance(option.default, bool) else []
    values = [default, *(word for word in (*option.choices, *flags) if word != default)]
    return f"`{option.name}`: " + ", ".join(f"`{value}`" for value in values)


def _rule_option(name: str) -> RuleOption:
    """An option as the book shows it."""
    option = option_named(name)
    return RuleOption(name=name, default=option.default, choices=option.choices)


@cache
def _sentences(language: Language) -> dict[str, str]:
    """One language's sentences by rule number."""
    return {number: said for number, said, _ in _read(language) if said}


def _numbers_and_comments() -> Iterator[tuple[str, list[str]]]:
    """The English catalogue's numbers in order, with the comments before them."""
    return ((number, comments) for number, _, comments in _read("en"))


def _read(language: Language) -> Iterator[tuple[str, str, list[str]]]:
    """A catalogue's rule numbers, sentences and comments, in the file's order."""
    path = FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    with path.open("rb") as file:
        found = read_po(file, locale=language, domain=DOMAIN, abort_invalid=True)
    for message in found:
        if isinstance(message.id, str) and re.fullmatch(r"[A-Z]+-A?[0-9]+", message.id):
            yield message.id, str(message.string or ""), message.user_comments
