"""`cuemarker serve` and `cuemarker demo` from outside: one line and an exit code when something is wrong."""

import socket
import subprocess
import sys

import pytest

from server.cli import main


@pytest.fixture
def cuemarker(capsys):
    """Runs the program here; returns its exit code and what it says."""

    def run(*arguments):
        with pytest.raises(SystemExit) as caught:
            main(list(map(str, arguments)))
        return caught.value.code, *capsys.readouterr()

    return run


@pytest.fixture
def busy_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def hall(tmp_path, text):
    path = tmp_path / "hall.toml"
    path.write_text(text)
    return path


TABLE = '[[tables]]\nid = "one"\nname = "One"\nsource = "virtual:kaisa"\n'


def test_a_busy_port_is_one_line(tmp_path, busy_port, cuemarker):
    config = hall(tmp_path, f"[server]\nport = {busy_port}\n{TABLE}")
    program = f"from server.cli import main; main(['serve', '--config', {str(config)!r}])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    demo_code, _, demo_complaint = cuemarker("demo", "--no-browser", "--port", busy_port)
    for code, complaint in ((done.returncode, done.stderr), (demo_code, demo_complaint)):
        assert code == 1
        assert complaint.count("\n") == 1
        assert f"port {busy_port}" in complaint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"[server]\nprot = 1\n{TABLE}", "server.prot: no such key"),
        ("[server]\n", "tables: is missing"),
        ("[[", "is no TOML"),
        (TABLE + 'default = {game = "kaisa", options = {"kz.call" = "loud"}}\n', "kz.call cannot be 'loud'"),
    ],
)
def test_a_wrong_hall_file_is_one_line(tmp_path, text, complaint, cuemarker):
    code, _, said = cuemarker("serve", "--config", hall(tmp_path, text))
    assert code == 1
    assert said.count("\n") == 1
    assert complaint in said


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve",),
        ("serve", "--config", "hall.toml", "extra"),
        ("demo", "--speed", "0"),
        ("demo", "--strokes", "none"),
        ("demo", "--game", "chess"),
        ("demo", "--port", "99999"),
    ],
)
def test_wrong_use_exits_with_2(arguments, cuemarker):
    code, _, complaint = cuemarker(*arguments)
    assert code == 2
    assert complaint.count("\n") == 1
    assert "--help" in complaint


@pytest.mark.parametrize("command", ["serve", "demo"])
def test_help_shows_an_example(command, cuemarker):
    code, said, _ = cuemarker(command, "--help")
    assert code == 0
    assert f"Example: cuemarker {command}" in said
