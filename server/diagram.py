"""One stroke as a drawing (SVG): where each ball lay, where it went, what it met; drawn from its events alone."""

from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

from scoring.balls import Ball, BallKind
from scoring.events import Contact, CushionHit, Moved, OffTable, Potted, Rest
from scoring.shots import Shot
from scoring.table import Pocket, Point, Table

_RAIL_MM = 120.0
_CLOTH, _WOOD, _MARK = "#1c6a50", "#4a2c1b", "#ffffff66"
_COLOURS: Mapping[BallKind, tuple[str, str]] = {
    BallKind.WHITE: ("#f6f3e6", "#ffffff"),
    BallKind.RED: ("#cf2f25", "#ff7363"),
    BallKind.YELLOW: ("#f2bd24", "#ffd34d"),
    BallKind.CUE: ("#b3261e", "#ff7363"),
}
_OTHERS = ("#ddd8c8", "#f1ecdd")


def paths_of(shot: Shot, table: Table) -> Mapping[Ball, tuple[Point, ...]]:
    """The places that each ball is known to have been at, in order; a ball that nobody saw anywhere is left out."""
    paths: dict[Ball, list[Point]] = {ball: [at] for ball, at in (shot.before or {}).items()}

    def been(ball: Ball, at: Point | None) -> None:
        path = paths.setdefault(ball, [])
        if at is not None and (not path or path[-1].distance_mm(at) > table.ball_mm / 4):
            path.append(at)

    for event in sorted(shot.events, key=lambda event: event.t_s):
        match event:
            case Contact(ball=ball, other=other, at=Point() as at):
                been(ball, _beside(at, paths.get(ball), table))
                been(other, _beside(at, paths.get(other), table))
            case CushionHit(ball=ball, at=at) | OffTable(ball=ball, at=at) | Moved(ball=ball, target=at):
                been(ball, at)
            case Potted(ball=ball, pocket=pocket):
                been(ball, table.pocket_corner(pocket))
            case Rest(balls=balls):
                for ball, at in balls.items():
                    been(ball, at)
            case _:
                pass
    return {ball: tuple(path) for ball, path in paths.items() if path}


def _beside(at: Point, path: list[Point] | None, table: Table) -> Point:
    """The centre of a ball that touches another one at `at`, coming from where it was."""
    if not path:
        return at
    came = path[-1]
    far_mm = came.distance_mm(at)
    if far_mm <= table.ball_mm:  # it lay there
        return came
    share = table.ball_radius_mm / far_mm
    return Point(at.x_mm + (came.x_mm - at.x_mm) * share, at.y_mm + (came.y_mm - at.y_mm) * share)


def diagram_svg(shot: Shot, table: Table, about: str) -> str:
    """The drawing; `about` is its description for those who do not see it. The house is on the left."""
    length, width, rail = table.length_mm, table.width_mm, _RAIL_MM
    box = f"{-rail:g} {-width / 2 - rail:g} {length + 2 * rail:g} {width + 2 * rail:g}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label={quoteattr(about)}>',
        _rectangle(-rail, -width / 2 - rail, length + 2 * rail, width + 2 * rail, _WOOD),
        _rectangle(0, -width / 2, length, width, _CLOTH),
        f'<path d="M{length / 4:g} {-width / 2:g}V{width / 2:g}" stroke="{_MARK}" stroke-width="6"/>',
    ]
    lines += [f'<circle cx="{length * share:g}" cy="0" r="13" fill="{_MARK}"/>' for share in (0.25, 0.5, 0.75)]
    if table.pockets is not None:
        corners = [table.pocket_corner(pocket) for pocket in Pocket]
        lines += [f'<circle cx="{at.x_mm:g}" cy="{-at.y_mm:g}" r="62" fill="#050807"/>' for at in corners]
    paths = paths_of(shot, table)
    lines += [_path(ball, path) for ball, path in paths.items() if len(path) > 1]
    fallen = {event.ball for event in shot.events if isinstance(event, Potted)}
    for ball, path in paths.items():
        if len(path) > 1:
            lines.append(_ball(ball, path[0], table, ghost=True))
        if ball not in fallen:
            lines.append(_ball(ball, path[-1], table))
    return "\n".join([*lines, "</svg>"])


def _rectangle(x_mm: float, y_mm: float, width_mm: float, height_mm: float, colour: str) -> str:
    return f'<rect x="{x_mm:g}" y="{y_mm:g}" width="{width_mm:g}" height="{height_mm:g}" fill="{colour}"/>'


def _path(ball: Ball, path: tuple[Point, ...]) -> str:
    points = " ".join(f"{at.x_mm:.0f},{-at.y_mm:.0f}" for at in path)
    colour = _COLOURS.get(ball.kind, _OTHERS)[1]
    return (
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="16" stroke-linejoin="round" '
        'stroke-linecap="round" opacity="0.8"/>'
    )


def _ball(ball: Ball, at: Point, table: Table, *, ghost: bool = False) -> str:
    """A ball; a ghost is where it lay before."""
    radius = table.ball_radius_mm * 1.4
    place = f'cx="{at.x_mm:.0f}" cy="{-at.y_mm:.0f}" r="{radius:g}"'
    colour = _COLOURS.get(ball.kind, _OTHERS)[0]
    if ghost:
        return f'<circle {place} fill="none" stroke="{colour}" stroke-width="9" opacity="0.7"/>'
    drawn = f'<circle {place} fill="{colour}" stroke="#00000088" stroke-width="4"/>'
    for shift in {"white-1": (0.0,), "white-2": (-0.36, 0.36)}.get(ball.name, ()):
        drawn += (
            f'<circle cx="{at.x_mm + shift * radius:.0f}" cy="{-at.y_mm:.0f}" r="{radius / 5:.0f}" fill="#17201c"/>'
        )
    if ball.number is not None:
        drawn += (
            f'<text x="{at.x_mm:.0f}" y="{-at.y_mm + 14:.0f}" font-family="sans-serif" font-size="42" '
            f'font-weight="700" text-anchor="middle" fill="#17201c">{ball.number}</text>'
        )
    return drawn
