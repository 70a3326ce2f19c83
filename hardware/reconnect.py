"""A device that comes and goes: absent, opening, ready, lost, and how long to wait before the next try. No threads."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from hardware.errors import HardwareError
from hardware.signals import LinkState

_NS_PER_S = 1_000_000_000


class Closable(Protocol):
    """Anything that is let go once."""

    def close(self) -> None:
        """Let go."""


Device = TypeVar("Device", bound=Closable)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackOff:
    """Waiting between tries: `first_s`, then twice as long each time, never more than `most_s`."""

    first_s: float = 0.25
    most_s: float = 1.0

    def wait_s(self, failures: int) -> float:
        """How long to wait after so many failures in a row."""
        return min(self.first_s * 2.0 ** min(max(failures - 1, 0), 30), self.most_s)


@dataclass(slots=True)
class Link(Generic[Device]):
    """Opens a device when its time has come, keeps it, lets it go when it is lost, and remembers why."""

    open: Callable[[], Device]
    back_off: BackOff = field(default_factory=BackOff)
    state: LinkState = LinkState.ABSENT
    reason: str = ""
    opened: int = 0
    failures: int = 0
    ready_since_ns: int = 0
    _device: Device | None = None
    _next_ns: int | None = None

    def device(self, now_ns: int) -> Device | None:
        """The open device; opens it when it is time to try. None while there is none: `reason` says why."""
        if self._device is None and (self._next_ns is None or now_ns >= self._next_ns):
            self._try(now_ns)
        return self._device

    def lose(self, now_ns: int, reason: str) -> None:
        """The device has gone or is of no use: let go of it and try again later."""
        device, self._device = self._device, None
        self.state, self.reason = LinkState.LOST, reason
        self._wait(now_ns)
        if device is not None:
            device.close()

    def close(self) -> None:
        """Let go for good."""
        device, self._device = self._device, None
        self.state = LinkState.ABSENT
        if device is not None:
            device.close()

    def is_good(self) -> None:
        """The device works: forget the failures and their reason."""
        self.failures, self.reason = 0, ""

    def _try(self, now_ns: int) -> None:
        self.state = LinkState.OPENING
        try:
            self._device = self.open()
        except HardwareError as error:
            self.state, self.reason = LinkState.ABSENT, str(error)
            self._wait(now_ns)
            return
        self.state = LinkState.READY
        self.opened += 1
        self.ready_since_ns = now_ns

    def _wait(self, now_ns: int) -> None:
        self.failures += 1
        self._next_ns = now_ns + round(self.back_off.wait_s(self.failures) * _NS_PER_S)
