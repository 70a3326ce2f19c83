"""`cuemarker sensors`: the technician's tools for the pocket sensors: watch, test, record, play back."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.table import Table

    from hardware.board import Board
    from hardware.signals import BoardHealth, Drop

_EVERY_S = 0.02
_SHOWN_S = 0.25
_NS_PER_S = 1_000_000_000


@click.group(
    epilog="Example: cuemarker sensors monitor /dev/ttyUSB0",
    short_help="Watch, test and record the pocket sensors.",
    no_args_is_help=True,
)
def sensors() -> None:
    """Tools for the pocket sensors' board."""


@sensors.command(epilog="Example: cuemarker sensors ports")
def ports() -> None:
    """List the serial ports and the numbers by which a board is found on any of them."""
    from hardware.ports import SCHEME, system_ports

    found = system_ports()
    for port in found:
        number = (
            f"{SCHEME}{port.serial_number}" if port.serial_number else "no number of its own: use /dev/serial/by-path"
        )
        click.echo(f"{port.device}  {number}  {port.description}")
    if not found:
        click.echo("no serial port: plug the board in")


@sensors.command(epilog="Example: cuemarker sensors wiring --out wiring.svg")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File to write (SVG).")
def wiring(out: Path) -> None:
    """Draw how the six beams are wired to the board."""
    from hardware.errors import HardwareError
    from hardware.firmware.wiring import wiring_svg

    try:
        out.write_text(wiring_svg(), encoding="utf-8")
    except OSError as error:
        message = f"cannot write {out}: {error.strerror}; choose another --out"
        raise HardwareError(message) from error


@sensors.command(epilog="Example: cuemarker sensors monitor /dev/ttyUSB0 --seconds 60")
@click.argument("address")
@click.option("--seconds", type=click.FloatRange(min=0), help="Stop after so long.")
def monitor(address: str, seconds: float | None) -> None:
    """Show the six pockets live, until Ctrl+C; a board that is unplugged is waited for.

    ADDRESS is a device (/dev/ttyUSB0, /dev/serial/by-id/...), a USB serial number (serial:A50285BI), or any address of
    pyserial (socket://, rfc2217://).
    """
    from rich.live import Live

    from hardware.board import keep_board

    board = keep_board(address)
    end_s = time.monotonic() + (seconds if seconds is not None else float("inf"))
    try:
        with Live(refresh_per_second=1 / _SHOWN_S) as live:
            while time.monotonic() < end_s:
                _poll_for(board, _SHOWN_S)
                live.update(_pockets(board.health(time.monotonic_ns()), time.monotonic_ns()))
    finally:
        board.close()


@sensors.command(epilog="Example: cuemarker sensors test /dev/ttyUSB0")
@click.argument("address")
@click.option(
    "--seconds", type=click.FloatRange(min=1), default=120.0, show_default=True, help="Give up after so long."
)
def test(address: str, seconds: float) -> None:
    """Ask for one ball through each pocket and say which sensors work; exits 1 when one does not.

    ADDRESS is as in `monitor`.
    """
    from hardware.board import keep_board
    from hardware.errors import DeviceAbsentError
    from hardware.signals import LinkState

    board = keep_board(address)
    end_s, told = time.monotonic() + seconds, set[str]()
    click.echo("drop a ball through each pocket, in any order")
    try:
        while True:
            for drop in _poll_for(board, _EVERY_S):
                click.echo(f"{drop.pocket}: a ball, the beam was broken for {drop.blocked_ms} ms")
                told.add(drop.pocket.value)
            health = board.health(time.monotonic_ns())
            missing = [beam.pocket.value for beam in health.beams if beam.pocket.value not in told]
            if not missing:
                click.echo("every sensor works")
                return
            if time.monotonic() > end_s:
                break
    finally:
        board.close()
    if health.state is not LinkState.READY:
        raise DeviceAbsentError(health.detail)
    states = ", ".join(f"{beam.pocket} ({beam.state})" for beam in health.beams if beam.pocket.value in missing)
    message = f"no ball was seen in {states}: look at their beams and wires"
    raise DeviceAbsentError(message)


@sensors.command(epilog="Example: cuemarker sensors record /dev/ttyUSB0 --out sensors.txt --seconds 600")
@click.argument("address")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File to write.")
@click.option("--seconds", type=click.FloatRange(min=0), help="Stop after so long.")
def record(address: str, out: Path, seconds: float | None) -> None:
    """Write what the board says, with the time of each line, as `cuemarker analyze --sensors` reads it.

    ADDRESS is as in `monitor`. Stop with Ctrl+C.
    """
    from hardware.boards.kept import keep_board
    from hardware.errors import HardwareError
    from hardware.wire import Message, encode

    try:
        file = out.open("w", encoding="ascii")
    except OSError as error:
        message = f"cannot write {out}: {error.strerror}; choose another --out"
        raise HardwareError(message) from error
    with file:
        board, start_ns = keep_board(address), time.monotonic_ns()
        lines = 0

        def write(message: Message, now_ns: int) -> None:
            nonlocal lines
            lines += 1
            text = encode(message).decode("ascii").strip()
            file.write(f"{(now_ns - start_ns) / _NS_PER_S:.4f} {text}\n")
            file.flush()

        board.listen = write
        end_s = time.monotonic() + (seconds if seconds is not None else float("inf"))
        try:
            while time.monotonic() < end_s:
                _poll_for(board, _SHOWN_S)
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
        finally:
            board.close()
        health = board.health(time.monotonic_ns())
    if not lines:
        raise HardwareError(health.detail or f"the sensor board on {address} said nothing; {out} is empty")
    click.echo(f"{lines} lines in {out}, {health.rejected} torn ones left out")


@sensors.command(epilog="Example: cuemarker sensors replay sensors.txt")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--speed", type=click.FloatRange(min=0, min_open=True), help="So many times as fast as it was; at once if left out."
)
def replay(file: Path, speed: float | None) -> None:
    """Print the drops of a recording, and how the sensors did."""
    from rich.console import Console

    from hardware.boards.recorded import open_board

    board = open_board(str(file))
    start_s = time.monotonic()
    for drop in board.drops:
        if speed is not None:
            time.sleep(max(0.0, start_s + drop.t_ns / _NS_PER_S / speed - time.monotonic()))
        sure = "" if drop.confidence == 1 else f"  unsure: {drop.confidence:.1f}"
        click.echo(f"{drop.t_ns / _NS_PER_S:10.3f} s  {drop.pocket}  broken for {drop.blocked_ms} ms{sure}")
    Console().print(_pockets(board.health(board.end_ns), board.end_ns))


def _poll_for(board: "Board", duration_s: float) -> "list[Drop]":
    """Poll for a while; the drops that came."""
    from hardware.signals import Drop

    end_s, drops = time.monotonic() + duration_s, list[Drop]()
    while True:
        drops += board.poll(time.monotonic_ns())
        if time.monotonic() >= end_s:
            return drops
        time.sleep(_EVERY_S)


def _pockets(health: "BoardHealth", now_ns: int) -> "Table":
    """The six pockets as a table."""
    from rich.table import Table

    name = f"{health.board_id} {health.firmware}".strip() or "board"
    table = Table(title=f"{name}: {health.state}", caption=health.detail or None)
    for column in ("pocket", "beam", "drops", "not believed", "last drop"):
        table.add_column(column, justify="left" if column in ("pocket", "beam") else "right")
    for beam in health.beams:
        style = "green" if beam.state.is_well else "bold red"
        last = "" if beam.last_drop_ns is None else f"{(now_ns - beam.last_drop_ns) / _NS_PER_S:.1f} s ago"
        table.add_row(beam.pocket.value, f"[{style}]{beam.state}[/]", str(beam.drops), str(beam.withheld), last)
    table.add_section()
    counts = f"{health.messages} lines, {health.rejected} torn, {health.resent} again, {health.resets} starts"
    table.add_row("", counts, "", "", f"clock {health.drift * 1e6:+.0f} ppm")
    return table
