"""The command `cuemarker bench match`: whole virtual matches, scored untouched."""

import click

from server.commands.bench_options import json_option, read_seeds


@click.command("match", epilog="Example: cuemarker bench match --game kaisa --seeds 1..20 --difficulty normal --json")
@click.option("--seeds", callback=read_seeds, default="1", show_default=True, help="One match for each, like 1..20.")
@click.option("--matches", type=click.IntRange(min=1), help="So many, from the first seed on.")
@click.option("--game", default="kaisa", show_default=True, help="A game that the virtual players know.")
@click.option("--difficulty", type=click.Choice(["easy", "normal", "hard"]), default="normal", show_default=True)
@click.option("--strokes-at-most", type=click.IntRange(min=1), help="End a match after so many; left out, at its end.")
@click.option("--fps", type=click.FloatRange(min=5, max=240), help="Frames per second; as the virtual camera has it.")
@click.option("--sensors", is_flag=True, help="With pocket sensors.")
@json_option
def whole_matches(
    *,
    seeds: tuple[int, ...],
    matches: int | None,
    game: str,
    difficulty: str,
    strokes_at_most: int | None,
    fps: float | None,
    sensors: bool,
    as_json: bool,
) -> None:
    """Whole virtual matches through the real pipeline, scored untouched: calls are entered, questions answered.

    A match of Kaisa is some 30 strokes, or six minutes of video, all of it rendered: figures are an upper bound.
    """
    from hardware.virtual.difficulty import Difficulty
    from hardware.virtual.games import UnknownGameError, game_script
    from server.bench.matches import EventsPlan
    from server.bench.printing import console, print_json, say_machine, shown_progress
    from server.bench.whole_match_tables import match_line, matches_json, matches_table, wrong_line
    from server.bench.whole_matches import WHOLE, score_match

    try:
        game_script(game)
    except UnknownGameError as error:
        raise click.UsageError(str(error)) from error
    plan = EventsPlan(
        game=game, difficulty=Difficulty(difficulty), strokes=strokes_at_most or WHOLE, fps=fps, has_sensors=sensors
    )
    chosen = seeds if matches is None else range(seeds[0], seeds[0] + matches)
    scored = []
    with shown_progress() as begin:
        for seed in chosen:
            scored.append(score_match(plan, seed, begin(f"seed {seed}, seconds of play")))
            if not as_json:
                click.echo(match_line(scored[-1]))
    if as_json:
        asked = {"game": game, "difficulty": difficulty, "strokes_at_most": strokes_at_most, "sensors": sensors}
        print_json("match", asked | {"fps": fps} | matches_json(scored))
        return
    console().print(matches_table(scored))
    for one in scored:
        for stroke in one.strokes:
            if not stroke.is_right:
                click.echo(wrong_line(one.seed, stroke))
    say_machine()
