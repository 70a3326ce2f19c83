"""Finds a serial port again by what stays when its plug is moved: `serial:A50285BI`, `/dev/serial/by-id/...`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from serial.tools import list_ports

from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError

SCHEME = "serial:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """A serial port that the system has: its device file, its USB serial number, and what people call it."""

    device: str
    serial_number: str = ""
    description: str = ""


PortList = Callable[[], Iterable[Port]]


def system_ports() -> list[Port]:
    """The ports plugged in now."""
    return [
        Port(device=found.device, serial_number=found.serial_number or "", description=found.description or "")
        for found in list_ports.comports()
    ]


def device_of(address: str, ports: PortList = system_ports) -> str:
    """The device file (or pyserial address) that an address means at this moment.

    Raises:
        DeviceAbsentError: no port has this serial number now.
        DeviceMisconfiguredError: the address names no serial number, or two ports have it.
    """
    if not address.startswith(SCHEME):
        return address
    wanted = address.removeprefix(SCHEME)
    if not wanted:
        message = "the address serial: names no board; `cuemarker sensors ports` lists the serial numbers"
        raise DeviceMisconfiguredError(message)
    found = list(ports())
    matching = [port.device for port in found if port.serial_number == wanted]
    if not matching:
        there = ", ".join(f"{port.device} ({port.serial_number or 'no number'})" for port in found) or "no port at all"
        message = f"no sensor board with the serial number {wanted} is plugged in; there is {there}"
        raise DeviceAbsentError(message)
    if len(matching) > 1:
        message = f"{' and '.join(matching)} have the serial number {wanted}; name one by /dev/serial/by-path/..."
        raise DeviceMisconfiguredError(message)
    return matching[0]


def stable_address(address: str, ports: PortList = system_ports) -> str:
    """The same board by its serial number where it has one of its own, so that it is found on another port again."""
    if address.startswith(SCHEME) or not Path(address).exists():
        return address
    real = str(Path(address).resolve())
    found = list(ports())
    numbers = [port.serial_number for port in found if port.device in (address, real) and port.serial_number]
    if len(numbers) != 1 or sum(port.serial_number == numbers[0] for port in found) != 1:
        return address
    return f"{SCHEME}{numbers[0]}"
