"""The rule book has every rule in every language, and its options are those that the referee uses."""

import re
from pathlib import Path

import pytest

from scoring.options import COMMON, INHERITED, PREFIXES, options_of
from server.cli import main
from server.rulebook import (
    RULE_OPTIONS,
    RulebookError,
    chapters,
    option_named,
    page,
    prefix_of,
    rule,
    rule_numbers,
    rule_text,
    rules_of,
    value_words,
)
from server.text import LANGUAGES

PAGE = Path(__file__).parents[2] / "docs" / "rulebook.md"
LONGEST = 260


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_is_one_or_two_plain_sentences(language):
    wrong = []
    for number in rule_numbers():
        said = rule_text(number, language)
        sentences = re.findall(r"[.?](?: |$)", said)
        starts = said[0].isupper() or said[0] in '"«”'
        if not (starts and said.endswith(".") and 1 <= len(sentences) <= 2 and len(said) <= LONGEST):
            wrong.append((number, said))
    assert wrong == []


def test_each_language_uses_its_own_letters():
    assert [n for n in rule_numbers() if re.search("[A-Za-zäöÄÖ]", rule_text(n, "ru"))] == []
    assert [n for n in rule_numbers() if re.search("[А-Яа-яЁё]", rule_text(n, "en") + rule_text(n, "fi"))] == []
    assert [n for n in rule_numbers() if rule_text(n, "fi") == rule_text(n, "en")] == []


def test_numbers_are_there_once_and_run_without_gaps_inside_a_game():
    numbers = rule_numbers()
    assert len(set(numbers)) == len(numbers) > 200
    for prefix in {prefix_of(number) for number in numbers} - {"C"}:
        letters = [int(number.split("-A")[1]) for number in numbers if number.startswith(f"{prefix}-A")]
        assert letters == list(range(1, len(letters) + 1))


def test_every_option_changes_some_rule_and_every_named_one_exists():
    named = {name for names in RULE_OPTIONS.values() for name in names}
    known = {option.name for option in COMMON}
    known |= {f"{prefix}.{option.name}" for prefix, options in PREFIXES.items() for option in options}
    assert known - named == set()
    assert {name for name in named if option_named(name).name != name.split(".")[-1]} == set()
    assert set(RULE_OPTIONS) <= set(rule_numbers())


def test_a_default_is_the_one_that_a_match_is_played_by():
    for game, prefixes in INHERITED.items():
        resolved = options_of(game, {}).values
        for one in rules_of(game, "en"):
            for option in one.options:
                prefix = option.name.rpartition(".")[0]
                if prefix in ("", prefixes[-1]):
                    assert resolved[option.name.split(".")[-1]] == option.default, (game, option.name)


def test_a_game_has_its_own_rules_the_common_ones_and_those_it_inherits():
    assert {prefix_of(one.number) for one in rules_of("kaisa", "fi")} == {"C", "KZ"}
    assert {prefix_of(one.number) for one in rules_of("five-balls", "ru")} == {"C", "RP", "FB"}
    assert {prefix_of(one.number) for one in rules_of("big-pyramid", "en")} == {"C", "MP", "BP"}


def test_the_target_of_the_big_pyramid_is_its_own_and_its_penalty_is_inherited():
    assert [option.default for option in rule("BP-3", "en").options] == [91]
    assert [option.default for option in rule("BP-6", "en").options] == [5]


def test_what_the_book_does_not_have_is_refused_by_name():
    with pytest.raises(RulebookError, match="no rule 'KZ-99'"):
        rule_text("KZ-99", "fi")
    with pytest.raises(RulebookError, match="no game is called 'whist'"):
        rules_of("whist", "en")
    for name in ("kz.whist", "whist", "xx.call"):
        with pytest.raises(RulebookError, match="no option"):
            option_named(name)


@pytest.mark.parametrize(("value", "words"), [(False, "false"), ((2, 3), "[2, 3]"), ("any", "any"), (60, "60")])
def test_values_are_spelled_as_in_a_setup(value, words):
    assert value_words(value) == words


def test_the_page_of_the_documentation_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: cuemarker rules --page > docs/rulebook.md"


def test_all_languages_hold_the_same_chapters_in_the_same_order():
    folder = Path(__file__).parents[2] / "server" / "translations"
    texts = [(folder / lang / "LC_MESSAGES" / "rulebook.po").read_text(encoding="utf-8") for lang in LANGUAGES]
    orders = [re.findall(r'^(?:# .+|msgid "[A-Z].+")$', text, re.MULTILINE) for text in texts]
    assert orders[0] == orders[1] == orders[2]
    assert len(chapters()) > 10


def test_the_command_says_rules_and_their_options(capsys):
    with pytest.raises(SystemExit) as done:
        main(["rules", "kz-a1", "--language", "fi"])
    assert done.value.code == 0
    said = capsys.readouterr().out
    assert said == f"KZ-A1  {rule_text('KZ-A1', 'fi')}  [kz.bank_rule=yellow_corner_ok]\n"


def test_the_command_says_all_rules_of_a_game(capsys):
    with pytest.raises(SystemExit):
        main(["rules", "--game", "kaisa"])
    assert len(capsys.readouterr().out.splitlines()) == len(rules_of("kaisa", "en"))


def test_the_command_writes_the_page(capsys):
    with pytest.raises(SystemExit):
        main(["rules", "--page"])
    assert capsys.readouterr().out == page()


@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["KZ-99"], 1), (["--game", "whist"], 2)])
def test_wrong_use_of_the_command_is_told_apart_from_an_unknown_rule(arguments, code, capsys):
    with pytest.raises(SystemExit) as done:
        main(["rules", *arguments])
    assert done.value.code == code
    assert capsys.readouterr().err
