"""Every rule of the rule book has its function and its test; docs/rules-table.md says which.

Run this file to write the page again: `python tests/architecture/test_rules_table.py`.
"""

import ast
import io
import re
import tokenize
from collections import defaultdict
from pathlib import Path

from scoring.games import GAMES
from server.rulebook import chapters, prefix_of, rule_numbers

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rules-table.md"
MOST_NAMES = 8
NUMBER = re.compile(r"\b((?:C|RP|FB|KZ|MP|BP)-A?[0-9]+)\b(?: to ((?:C|RP|FB|KZ|MP|BP)-A?[0-9]+)\b)?")
GAME_OF = {"RP": "russian-party", "FB": "five-balls", "KZ": "kaisa", "MP": "small-pyramid", "BP": "big-pyramid"}
ONE_GAME = {
    "C-4": "small-pyramid",
    "C-7": "small-pyramid",
    "C-17": "small-pyramid",
    "C-33": "five-balls",
    "C-35": "five-balls",
}
"""Common rules that only some games need, by the first of those games to ask."""

NEEDS_NO_CODE = {
    "C-10": "a fact of the equipment: tables are measured, not assumed",
    "C-11": "a fact of the equipment",
    "C-13": "a fact of the equipment",
    "C-14": "a fact of the equipment",
    "C-15": "a fact of the equipment",
    "C-20": "a witness decides when a stroke begins and ends; rules receive whole strokes",
    "KZ-2": "how balls are marked; our names of balls say whose they are",
    "RP-35": "nothing to do: RP-31 is the rule that is applied",
    "RP-A6": "each game applies its own house rule",
    "MP-76": "advice to players; a handicap is MP-80 to MP-83",
    "MP-A7": "how the document is read; it changes nothing by itself",
    "BP-7": "another game",
}
"""Rules of the book that the referee has nothing to do for, each with its reason."""


def numbers_in(text):
    """The rule numbers that a text names, ranges written out."""
    order = rule_numbers()
    for first, last in NUMBER.findall(text):
        if last and first in order and last in order:
            yield from order[order.index(first) : order.index(last) + 1]
        else:
            yield first


def spans_of(tree):
    """The functions, classes and named values of a module with the lines they cover; the innermost come last."""
    spans = []

    def visit(node, path):
        names = [*path, node.name] if hasattr(node, "name") and isinstance(node.name, str) else path
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            spans.append((node.lineno, node.end_lineno, ".".join(names)))
        for child in ast.iter_child_nodes(node):
            visit(child, names if isinstance(node, ast.FunctionDef | ast.ClassDef) else path)

    visit(tree, [])
    body = tree.body
    for node, following in zip(body, [*body[1:], None], strict=True):
        target = getattr(node, "target", None) or next(iter(getattr(node, "targets", [])), None)
        if isinstance(target, ast.Name):
            is_note = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            spans.append((node.lineno, following.end_lineno if is_note else node.end_lineno, target.id))
    return spans


def said_in(path):
    """Every string and comment of a source file with the name of what it stands in; the module's docstring is none."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    spans = spans_of(tree)
    about = ast.get_docstring(tree, clean=False)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (tokenize.STRING, tokenize.COMMENT):
            continue
        inside = [span for span in spans if span[0] <= token.start[0] <= span[1]]
        if inside:
            yield max(inside, key=lambda span: span[0])[2], token.string
        elif about is None or about not in token.string:
            yield "(module)", token.string


def functions_by_rule():
    """Rule -> the functions, classes and named values of scoring that name it."""
    found = defaultdict(dict)
    folder = ROOT / "scoring"
    for path in sorted(folder.rglob("*.py")):
        module = path.relative_to(folder).with_suffix("").as_posix()
        for name, text in said_in(path):
            for number in numbers_in(text):
                found[number][f"{module}.{name}"] = None
    return found


def pinned_by_rule():
    """Rule -> the scenarios and test functions that name it."""
    found = defaultdict(dict)
    folder = ROOT / "tests" / "scoring"
    for path in sorted((folder / "scenarios").rglob("*.yaml")):
        for number in numbers_in(path.read_text(encoding="utf-8")):
            found[number][path.stem] = None
    for path in sorted(folder.glob("test_*.py")):
        for name, text in said_in(path):
            if name.split(".")[-1].startswith("test_"):
                for number in numbers_in(text):
                    found[number][f"{path.stem}.{name}"] = None
        for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8")):
            for prefix, digits in re.findall(r"_(c|rp|fb|kz|mp|bp)_(a?[0-9]+)(?=_)", name):
                found[f"{prefix}-{digits}".upper()][f"{path.stem}.{name}"] = None
    return found


def is_strict(number):
    """Whether a rule must have function and test by now: its game can be played."""
    if number in NEEDS_NO_CODE:
        return False
    game = ONE_GAME.get(number) or GAME_OF.get(prefix_of(number))
    return game is None or game in GAMES


def named(names):
    """Some names in a table's cell."""
    shown = [f"`{name}`" for name in list(names)[:MOST_NAMES]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def page():
    """The table as a page of Markdown."""
    functions, tests = functions_by_rule(), pinned_by_rule()
    lines = [
        "# Where each rule lives",
        "",
        "<!-- Written by `python tests/architecture/test_rules_table.py` from the code and the tests. -->",
        "",
        "Rule, the functions of `scoring/` that name it, the scenarios and tests of `tests/scoring/` that name it.",
        "What a rule says is in the [rule book](rulebook.md).",
        "",
    ]
    for chapter in chapters():
        lines += [f"## {chapter.heading}", "", "| rule | functions | tests |", "|---|---|---|"]
        for number in chapter.numbers:
            reason = NEEDS_NO_CODE.get(number)
            where = named(functions.get(number, {})) or (f"none: {reason}" if reason else "")
            lines.append(f"| {number} | {where} | {named(tests.get(number, {}))} |")
        lines.append("")
    return "\n".join(lines)


def test_every_rule_of_a_finished_game_has_a_function():
    functions = functions_by_rule()
    assert [number for number in rule_numbers() if is_strict(number) and not functions[number]] == []


def test_every_rule_of_a_finished_game_has_a_test():
    tests = pinned_by_rule()
    assert [number for number in rule_numbers() if is_strict(number) and not tests[number]] == []


def test_code_and_tests_name_only_rules_of_the_book():
    book = set(rule_numbers())
    assert {number: list(names) for number, names in functions_by_rule().items() if number not in book} == {}
    assert {number: list(names) for number, names in pinned_by_rule().items() if number not in book} == {}


def test_exceptions_name_rules_of_the_book():
    assert {*NEEDS_NO_CODE, *ONE_GAME} <= set(rule_numbers())


def test_an_exception_that_has_both_function_and_test_is_none():
    functions, tests = functions_by_rule(), pinned_by_rule()
    assert [number for number in NEEDS_NO_CODE if functions[number] and tests[number]] == []


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python tests/architecture/test_rules_table.py"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
