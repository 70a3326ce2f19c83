"""Every sentence exists in Russian, English and Finnish, and asks for parameters that are there."""

import re
import string
from pathlib import Path

import pytest

import server
from scoring.balls import FIVE_BALL_SET, RED_1, WHITE_1, YELLOW, Ball
from scoring.options import INHERITED
from scoring.rulings import Message, Place, Question, QuestionKind, Reason, Respot
from scoring.shots import REFEREE_KINDS, Call
from scoring.table import Cushion, Pocket, Spot
from server.errors import Refusal
from server.phrases import PARAMETERS, answer_words, call_sentence, question_sentence, reason_sentence, respot_sentence
from server.text import LANGUAGES, catalogue, choose_language

LAG_FAULTS = ("no_far_cushion", "touched_ball", "long_cushion", "potted", "off_table", "other_half", "did_not_return")
IDS = [
    *(f"ruling.{message}" for message in Message),
    *(f"question.{kind}" for kind in QuestionKind),
    *(f"kind.{kind}" for kind in REFEREE_KINDS),
    *(f"game.{game}" for game in INHERITED),
    *(f"pocket.{pocket}" for pocket in Pocket),
    *(f"cushion.{cushion}" for cushion in Cushion),
    *(f"spot.{spot}" for spot in Spot),
    *(f"place.{place}" for place in Place),
    *(f"ball.{ball}" for ball in FIVE_BALL_SET),
    *(f"lag.{why}" for why in LAG_FAULTS),
    *(refusal.value for refusal in Refusal),
]
SAMPLES = {
    "ball": "red-1",
    "balls": "6,7",
    "pocket": "RL",
    "kind": "push",
    "why": "touched_ball",
    "points": 3,
    "count": 2,
    "caroms": "red-2",
}


def placeholders(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_ids_of_the_rules_have_a_sentence(language):
    assert [name for name in IDS if name not in catalogue(language).sentences] == []


def test_all_languages_have_the_same_ids():
    ids = {language: set(catalogue(language).sentences) for language in LANGUAGES}
    assert ids["ru"] == ids["en"] == ids["fi"]


def test_all_languages_ask_for_the_same_parameters():
    for name in catalogue("en").sentences:
        asked = {frozenset(placeholders(form)) for lang in LANGUAGES for form in catalogue(lang).sentences[name]}
        assert len(asked) == 1, name


def test_ids_in_the_code_and_the_pages_exist():
    root = Path(server.__file__).parent
    sources = [*root.glob("*.py"), *(root / "web").rglob("*.html")]
    used = set()
    for path in sources:
        said = path.read_text(encoding="utf-8")
        used |= set(re.findall(r"""(?:\bsay|(?<![.\w])text)\(\s*['"]([a-z_.-]+)['"]""", said))
    assert len(used) > 20
    assert used - set(catalogue("en").sentences) == set()


def test_russian_plurals_follow_the_number():
    words = catalogue("ru")
    said = [words.say("health.journal", {"count": count}) for count in (1, 3, 5, 11, 21, 112)]
    assert [re.search(r"\d+ (\w+)", sentence).group(1) for sentence in said] == [
        "запись",
        "записи",
        "записей",
        "записей",
        "запись",
        "записей",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("message", list(Message))
def test_every_ruling_is_a_sentence_without_holes(language, message):
    parameters = tuple(SAMPLES.get(name, "Anna") for name in PARAMETERS[message])
    said = reason_sentence(Reason(message, parameters, "KZ-1"), catalogue(language))
    assert not said.startswith("ruling.")
    assert "{" not in said
    assert said[0].isupper() or not said[0].isalpha()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", list(QuestionKind))
def test_every_question_is_a_question(language, kind):
    for about in (None, RED_1):
        assert question_sentence(Question(kind=kind, about=about), catalogue(language)).endswith("?")


@pytest.mark.parametrize("value", [RED_1, Pocket.RL, True, False, 7, "hand", Call(ball=YELLOW), "Anna", None])
def test_every_answer_has_words(value):
    assert answer_words(value, catalogue("en"))[0].isalnum()


def test_calls_and_respots_are_said():
    words = catalogue("en")
    call = Call(ball=YELLOW, pocket=Pocket.RL, bank=True)
    assert call_sentence(call, words) == "Called: yellow off a cushion, rear left pocket"
    assert respot_sentence(Respot(YELLOW, Place.S2), words) == "Put: yellow → second spot"
    assert respot_sentence(Respot(WHITE_1, Place.IN_HAND), words) is None


def test_a_missing_id_is_logged_and_does_not_stop_the_board(caplog):
    assert catalogue("en").say("no.such") == "no.such"
    assert "no.such" in caplog.text


def test_a_pyramid_ball_is_called_by_its_number():
    assert catalogue("fi").ball(Ball("7")) == "pallo 7"


@pytest.mark.parametrize(
    ("asked", "hall", "accepted", "chosen"),
    [
        ("fi", "ru", "en", "fi"),
        ("sv", "ru", "en", "ru"),
        (None, "ru", "en", "ru"),
        (None, None, "fi-FI,fi;q=0.9,en;q=0.8", "fi"),
        (None, None, "ru-RU", "ru"),
        (None, None, "sv,de;q=0.5", "en"),
        (None, None, None, "en"),
        (None, None, "*;q=0.1, ;;, -", "en"),
    ],
)
def test_the_language_is_the_askers_then_the_halls_then_the_browsers(asked, hall, accepted, chosen):
    assert choose_language(asked, hall, accepted) == chosen
