"""Other readings and faults of the layout are said in every language."""

import pytest

from scoring.alternatives import Alternative
from scoring.balls import RED_1, Ball
from scoring.readings import FOULS, Change, Idea
from scoring.rulings import Ruling
from scoring.shots import Shot
from scoring.table import Pocket
from scoring.verify_layout import Fault, Wrong
from server.phrases import alternative_sentence, fault_sentence
from server.text import LANGUAGES, catalogue


def alternative(change, word="push"):
    idea = Idea(change=change, shot=Shot(), ball=RED_1, pocket=Pocket.ML, word=word)
    return Alternative(idea=idea, ruling=Ruling(), after=None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_change_has_its_own_sentence_without_holes(language):
    said = [alternative_sentence(alternative(change), catalogue(language)) for change in Change]
    assert len(set(said)) == len(said)
    assert [sentence for sentence in said if "{" in sentence or "alternative." in sentence] == []


@pytest.mark.parametrize("word", FOULS)
def test_a_foul_is_called_by_its_name(word):
    said = alternative_sentence(alternative(Change.FOUL, word), catalogue("ru"))
    assert said.startswith("Нарушение: ")
    assert word not in said


def test_a_player_is_called_by_his_name_even_if_he_is_called_like_a_foul():
    assert alternative_sentence(alternative(Change.OPENS, "push"), catalogue("en")) == "First shot: push"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_of_the_layout_has_its_own_sentence(language):
    faults = [Fault(ball=Ball("7"), wrong=wrong, distance_mm=12.4) for wrong in Wrong]
    said = [fault_sentence(fault, catalogue(language)) for fault in faults]
    assert len(set(said)) == len(said)
    assert [sentence for sentence in said if "{" in sentence or "layout." in sentence or "7" not in sentence] == []


def test_distances_are_whole_millimetres():
    fault = Fault(ball=RED_1, wrong=Wrong.MOVED, distance_mm=12.4)
    assert fault_sentence(fault, catalogue("fi")) == "Punainen: siirtynyt 12 mm"
