"""A virtual network camera: motion JPEG over HTTP on this machine, whose manners can be changed while it sends."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

_HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n"
_RESET = struct.pack("ii", 1, 0)  # closing sends a reset, as when the power goes
_WAIT_S = 5.0


@dataclass(slots=True)
class MjpegServer:
    """Sends `pictures` (JPEG) over and over at `fps`; says nothing while `is_mute`, though the connection stays open.

    `play` shows other pictures once before it goes on. Close it, or use it as a context manager.
    """

    pictures: Sequence[bytes]
    fps: float = 25.0
    is_mute: bool = False
    port: int = 0
    _played: list[bytes] = field(default_factory=list)
    _is_over: threading.Event = field(default_factory=threading.Event)
    _listener: socket.socket | None = None
    _connections: list[socket.socket] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin to serve."""
        self.come_back()

    @property
    def address(self) -> str:
        """Where a camera back end finds it."""
        return f"http://127.0.0.1:{self.port}/stream"

    def __enter__(self) -> Self:
        """The server itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def play(self, pictures: Sequence[bytes]) -> None:
        """Show these once, from the next picture on."""
        self._played = list(pictures)

    def come_back(self) -> None:
        """Listen, at the same port as before."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        self._start(self._accept, self._listener)

    def cut(self) -> None:
        """Reset every connection and answer no more."""
        if self._listener is not None:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                connection.shutdown(socket.SHUT_RDWR)
        self._connections.clear()

    def close(self) -> None:
        """End everything."""
        self._is_over.set()
        self.cut()
        for thread in self._threads:
            thread.join(_WAIT_S)

    def _start(self, work: Callable[[socket.socket], None], what: socket.socket) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(target=work, args=(what,), name="virtual network camera", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while not self._is_over.is_set():
                connection, _ = listener.accept()
                self._connections.append(connection)
                self._start(self._send, connection)

    def _send(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.recv(4096)
            connection.sendall(_HEAD)
            count, due_s = 0, time.monotonic()
            while not self._is_over.is_set():
                if self.is_mute:
                    time.sleep(0.01)
                    continue
                body = self._played.pop(0) if self._played else self.pictures[count % len(self.pictures)]
                size = b"Content-Length: %d\r\n\r\n" % len(body)
                connection.sendall(b"--frame\r\nContent-Type: image/jpeg\r\n" + size + body + b"\r\n")
                count += 1
                due_s = max(due_s + 1 / self.fps, time.monotonic() - 1 / self.fps)
                time.sleep(max(0.0, due_s - time.monotonic()))
