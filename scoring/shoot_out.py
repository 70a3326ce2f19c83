"""The shoot-out after a timed game: so many shots for each side in turn, then one each until they differ (KZ-36)."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class ShootOut:
    """How a shoot-out stands: the shots that each side has, and by side those taken and those made."""

    shots: int
    taken: tuple[int, ...]
    made: tuple[int, ...]

    def with_shot(self, side: int, *, made: bool) -> "ShootOut":
        """After one more shot of a side."""
        taken = tuple(count + (index == side) for index, count in enumerate(self.taken))
        return replace(self, taken=taken, made=tuple(n + (made and i == side) for i, n in enumerate(self.made)))

    @property
    def winner(self) -> int | None:
        """The side that the others can no longer reach; None while all is open."""
        due = max(self.shots, *self.taken)
        best = max(range(len(self.made)), key=self.made.__getitem__)
        reach = [made + due - taken for made, taken in zip(self.made, self.taken, strict=True)]
        return best if all(self.made[best] > reach[side] for side in range(len(reach)) if side != best) else None
