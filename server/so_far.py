"""What a stroke has come to so far, in what people look at; whether its reading at rest says something else."""

from dataclasses import dataclass, field, replace
from typing import Self

from scoring.balls import Ball
from scoring.events import Contact, Moved, Potted, Rest, Strike, TableEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class SoFar:
    """The struck ball, the balls that it touched, in order, and the balls that fell."""

    struck: Ball | None = None
    touched: tuple[Ball, ...] = ()
    potted: tuple[Ball, ...] = ()

    def after(self, event: TableEvent) -> Self:
        """The same with one more event; a strike begins anew."""
        match event:
            case Strike(ball=ball):
                return type(self)(struck=ball)
            case Contact(ball=ball, other=other) if self.struck in (ball, other):
                met = other if ball == self.struck else ball
                return self if met in self.touched else replace(self, touched=(*self.touched, met))
            case Potted(ball=ball) if self.struck is not None and ball not in self.potted:
                return replace(self, potted=(*self.potted, ball))
            case _:
                return self

    def differs(self, other: Self) -> bool:
        """Whether somebody who has been shown this must be told that it was the other; the first ball hit matters."""
        mine, others = (
            (one.struck, one.touched[:1], frozenset(one.touched), frozenset(one.potted)) for one in (self, other)
        )
        return mine != others


@dataclass(slots=True)
class Supposing:
    """What was supposed of the stroke that is under way, against what is told of it when the balls lie still."""

    _supposed: SoFar = field(default_factory=SoFar)
    _told: SoFar = field(default_factory=SoFar)

    def suppose(self, event: TableEvent) -> None:
        """Something seems to have happened."""
        self._supposed = self._supposed.after(event)

    def corrects(self, event: TableEvent) -> bool:
        """Take a fact in; true when it ends a stroke that came to something else than was supposed."""
        self._told = self._told.after(event)
        match event:
            case Rest():
                supposed, told = self._supposed, self._told
                self._supposed = self._told = SoFar()
                return None not in (supposed.struck, told.struck) and supposed.differs(told)
            case Moved(origin=origin) if origin is not None and self._told.struck is None:
                self._supposed = SoFar()  # a hand moved what seemed to be struck
                return False
            case _:
                return False
