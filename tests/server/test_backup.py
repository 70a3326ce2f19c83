"""Backups: whole while the hall writes, put back only where none runs, never half."""

import json
import stat
import subprocess
import sys
import textwrap
import zipfile

import pytest
from click.testing import CliRunner

from server import backup as backups
from server.backup import BackupError, back_up
from server.cli import CommandGroup
from server.errors import JournalError
from server.journal import Fact, Journal

HALL = """# our hall
[server]
port = 8181
[[tables]]
id = "one"
name = "One"
source = "rtsp://camera.example/1"
table_file = "tables/one.toml"
"""


class Hall:
    def __init__(self, folder):
        self.folder = folder
        self.file = folder / "hall.toml"
        self.database = folder / "cuemarker.sqlite"

    def make(self):
        (self.folder / "tables").mkdir(parents=True)
        (self.folder / "tables" / "one.toml").write_text("about the table")
        self.file.write_text(HALL)
        (self.folder / "cuemarker.secret").write_text("the secret")
        return self

    def write(self, *numbers):
        with Journal.open(f"sqlite:///{self.database}") as journal:
            journal.append("one", [Fact(kind="entry", body=str(number)) for number in numbers])

    def numbers(self):
        with Journal.open(f"sqlite:///{self.database}") as journal:
            return [int(entry.body) for entry in journal.read("one")]


@pytest.fixture
def hall(tmp_path):
    hall = Hall(tmp_path / "hall").make()
    hall.write(1, 2, 3)
    return hall


@pytest.fixture
def copy(hall, tmp_path):
    path = tmp_path / "monday.cuemarker"
    assert back_up(hall.file, path) == ()
    return path


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_a_hall_is_put_back_on_a_new_machine_from_its_backup_alone(copy, tmp_path):
    new = Hall(tmp_path / "new")
    new.folder.mkdir()
    done = backups.restore(copy, new.file)
    assert done.aside is None
    assert new.numbers() == [1, 2, 3]
    assert new.file.read_text() == HALL
    assert (new.folder / "tables" / "one.toml").read_text() == "about the table"
    assert stat.S_IMODE((new.folder / "cuemarker.secret").stat().st_mode) == 0o600
    assert names(new.folder) == {"hall.toml", "tables", "cuemarker.secret", "cuemarker.sqlite", "cuemarker.sqlite.lock"}


def test_the_journal_that_stood_there_is_set_aside_and_settings_are_kept(hall, copy):
    hall.write(4)
    hall.file.write_text(HALL.replace("8181", "8282"))
    done = backups.restore(copy, hall.file)
    assert hall.numbers() == [1, 2, 3]
    assert "8282" in hall.file.read_text()
    assert hall.file in done.kept
    with Journal.open(f"sqlite:///{done.aside}") as before:
        assert [entry.body for entry in before.read("one")] == ["1", "2", "3", "4"]


def test_a_backup_holds_secrets_and_is_for_its_owner_alone(copy):
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_a_running_hall_is_copied_whole_and_never_overwritten(hall, tmp_path):
    writer = textwrap.dedent(f"""
        from server.journal import Fact, Journal
        journal = Journal.open("sqlite:///{hall.database}")
        for number in range(4, 1000000):
            journal.append("one", [Fact(kind="entry", body=str(number))])
            print(number, flush=True)
    """)
    process = subprocess.Popen([sys.executable, "-c", writer], stdout=subprocess.PIPE, text=True)
    try:
        acknowledged = int([process.stdout.readline() for _ in range(20)][-1])
        back_up(hall.file, tmp_path / "live.cuemarker")
        with pytest.raises(JournalError, match="in use by another"):
            backups.restore(tmp_path / "live.cuemarker", hall.file)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    backups.restore(tmp_path / "live.cuemarker", hall.file)
    found = hall.numbers()
    assert found == list(range(1, len(found) + 1))
    assert len(found) >= acknowledged


def damaged(path, name, content):
    """The backup with one member replaced."""
    with zipfile.ZipFile(path) as archive:
        members = {one: archive.read(one) for one in archive.namelist()}
    members[name] = content
    with zipfile.ZipFile(path, "w") as archive:
        for one, bytes_ in members.items():
            archive.writestr(one, bytes_)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("journal.sqlite", b"holiday photographs" * 100),
        ("files/../../evil", b"x"),
        ("files//etc/evil", b"x"),
        ("files/big.toml", b"x" * 2_000_000),
    ],
)
def test_what_is_no_good_backup_changes_nothing(hall, copy, tmp_path, name, content):
    damaged(copy, name, content)
    before = names(hall.folder)
    with pytest.raises(BackupError) as caught:
        backups.restore(copy, hall.file)
    assert "\n" not in str(caught.value)
    assert names(hall.folder) == before
    assert hall.numbers() == [1, 2, 3]
    assert not (tmp_path / "evil").exists()


def test_a_torn_or_foreign_file_is_one_line(hall, copy):
    content = copy.read_bytes()
    for torn in (b"", b"photographs", content[: len(content) // 2], content[:100] + b"\0" * 400 + content[500:]):
        copy.write_bytes(torn)
        with pytest.raises(BackupError) as caught:
            backups.restore(copy, hall.file)
        assert "\n" not in str(caught.value)
    assert hall.numbers() == [1, 2, 3]


def test_a_changed_entry_in_a_backup_is_noticed(hall, copy, tmp_path):
    with zipfile.ZipFile(copy) as archive:
        content = archive.read("journal.sqlite")
    with Journal.open(f"sqlite:///{hall.database}") as journal:
        journal.append("one", [Fact(kind="entry", body="the words that were written")])
    back_up(hall.file, tmp_path / "other")
    with zipfile.ZipFile(tmp_path / "other") as archive:
        content = archive.read("journal.sqlite")
    damaged(copy, "journal.sqlite", content.replace(b"words that were", b"words that wero"))
    with pytest.raises(BackupError, match="entry 4 of the journal is damaged"):
        backups.restore(copy, hall.file)


def test_nothing_is_overwritten_and_nothing_half_is_left(hall, copy, tmp_path):
    with pytest.raises(BackupError, match="exists"):
        back_up(hall.file, copy)
    with pytest.raises(BackupError, match="cannot be written"):
        back_up(hall.file, tmp_path / "no" / "folder" / "x")
    hall.database.unlink()
    with pytest.raises(JournalError, match="cannot be copied"):
        back_up(hall.file, tmp_path / "tuesday")
    assert names(tmp_path) == {"hall", "monday.cuemarker"}


def test_settings_from_elsewhere_are_named(hall, tmp_path):
    (tmp_path / "elsewhere.toml").write_text("x")
    hall.file.write_text(HALL.replace("tables/one.toml", str(tmp_path / "elsewhere.toml")))
    assert back_up(hall.file, tmp_path / "b") == (tmp_path / "elsewhere.toml",)
    with zipfile.ZipFile(tmp_path / "b") as archive:
        assert json.loads(archive.read("about.json"))["journal"] >= 2


def test_a_database_server_is_not_ours_to_copy(hall, tmp_path):
    hall.file.write_text(HALL.replace("port = 8181", 'database = "postgresql://db/cuemarker"'))
    with pytest.raises(BackupError, match=r"that server's own tool .*pg_dump"):
        back_up(hall.file, tmp_path / "b")


def test_the_commands_say_what_they_did(hall, tmp_path):
    group = CommandGroup(name="cuemarker")
    said = CliRunner().invoke(group, ["backup", str(tmp_path / "b"), "--config", str(hall.file)])
    assert (said.exit_code, said.output) == (0, f"{tmp_path / 'b'}: 0.0 MB\n")
    said = CliRunner().invoke(group, ["restore", str(tmp_path / "b"), "--config", str(hall.file)]).output
    assert f"written: {hall.database}" in said
    assert f"kept as it was: {hall.file}" in said
