"""People who have nothing to do with the stroke, and what they leave lying about."""

from dataclasses import dataclass

from hardware.virtual.people.bodies import arm, blended, eased, legs, round_limb
from hardware.virtual.scene import CueStick, Limb, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Onlooker:
    """Somebody leans over the cushion for a moment, head first, and goes again."""

    place: Vector
    outside: Vector
    starts_s: float
    ends_s: float

    def cues(self, t_s: float) -> tuple[CueStick, ...]:
        """None."""
        del t_s
        return ()

    def limbs(self, t_s: float) -> tuple[Limb, ...]:
        """A head and shoulders."""
        if not self.starts_s < t_s < self.ends_s:
            return ()
        share = (t_s - self.starts_s) / (self.ends_s - self.starts_s)
        head = blended(self.outside, self.place, eased(min(share, 1.0 - share) * 3.0))
        body = blended(head, self.outside, 0.5)
        return (
            round_limb(head, 105.0, "head"),
            Limb(start_mm=body, end_mm=self.outside, start_radius_mm=130.0, end_radius_mm=190.0, part="body"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Somebody reaches over the table with one arm, along a way of places, and draws it back.

    The hand is at the first of `places` at `starts_s` + `come_s` and at the last one at `ends_s` - `come_s`.
    """

    shoulder: Vector
    places: tuple[Vector, ...]
    starts_s: float
    ends_s: float
    come_s: float = 0.5

    def hand_mm(self, t_s: float) -> Vector:
        """Where the hand is."""
        first, last = self.places[0], self.places[-1]
        if t_s < self.starts_s + self.come_s:
            return blended(self.shoulder, first, eased((t_s - self.starts_s) / self.come_s))
        if t_s > self.ends_s - self.come_s:
            return blended(last, self.shoulder, eased((t_s - self.ends_s + self.come_s) / self.come_s))
        share = (t_s - self.starts_s - self.come_s) / max(self.ends_s - self.starts_s - 2 * self.come_s, 1e-6)
        along = min(max(share, 0.0), 1.0) * (len(self.places) - 1)
        index = min(int(along), max(len(self.places) - 2, 0))
        if len(self.places) == 1:
            return first
        return blended(self.places[index], self.places[index + 1], eased(along - index))

    def cues(self, t_s: float) -> tuple[CueStick, ...]:
        """None."""
        del t_s
        return ()

    def limbs(self, t_s: float) -> tuple[Limb, ...]:
        """A hand and its arm."""
        if not self.starts_s < t_s < self.ends_s:
            return ()
        return arm(self.hand_mm(t_s), self.shoulder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walker:
    """Somebody walks along a side of the table: head and shoulders above the rail."""

    start: Vector
    end: Vector
    starts_s: float
    ends_s: float

    def cues(self, t_s: float) -> tuple[CueStick, ...]:
        """None."""
        del t_s
        return ()

    def limbs(self, t_s: float) -> tuple[Limb, ...]:
        """A head over a body."""
        if not self.starts_s < t_s < self.ends_s:
            return ()
        x_mm, y_mm, z_mm = blended(self.start, self.end, (t_s - self.starts_s) / (self.ends_s - self.starts_s))
        chest = Limb(
            start_mm=(x_mm - 130.0, y_mm, z_mm - 330.0),
            end_mm=(x_mm + 130.0, y_mm, z_mm - 330.0),
            start_radius_mm=120.0,
            end_radius_mm=120.0,
            part="body",
        )
        return (legs((x_mm, y_mm, z_mm - 330.0)), chest, round_limb((x_mm, y_mm, z_mm), 105.0, "head"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftThing:
    """A thing that somebody has left lying for a while: chalk on the rail, a cue or a rest on the cloth."""

    starts_s: float
    ends_s: float
    chalk_mm: Vector | None = None
    cue: CueStick | None = None

    def cues(self, t_s: float) -> tuple[CueStick, ...]:
        """The cue, while it lies there."""
        return (self.cue,) if self.cue and self.starts_s < t_s < self.ends_s else ()

    def limbs(self, t_s: float) -> tuple[Limb, ...]:
        """The chalk, while it lies there."""
        if self.chalk_mm is None or not self.starts_s < t_s < self.ends_s:
            return ()
        return (round_limb(self.chalk_mm, 12.0, "chalk"),)
