"""The hall file: what is read, and which key a wrong one is blamed on."""

import pytest
from pydantic import ValidationError

from server.config import ServerConfig, read_hall
from server.errors import ConfigError

GOOD = """
[server]
port = 8181
language = "fi"

[[tables]]
id = "one"
name = "Table 1"
source = "rtsp://camera.example/1"
table_file = "one.toml"
default = {game = "kaisa", players = ["Anna", "Boris"]}
sensors = {url = "/dev/ttyUSB0"}
"""


def write(tmp_path, text):
    path = tmp_path / "hall.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file_is_read_and_its_paths_are_anchored(tmp_path):
    hall = read_hall(write(tmp_path, GOOD))
    assert hall.server.port == 8181
    assert hall.server.database == f"sqlite:///{tmp_path / 'cuemarker.sqlite'}"
    assert hall.tables[0].table_file == tmp_path / "one.toml"
    assert hall.tables[0].default.players == ("Anna", "Boris")


def test_a_second_camera_is_read_with_its_own_table_file(tmp_path):
    second = '\n[tables.second_camera]\nsource = "usb:1"\ntable_file = "rear.toml"\n'
    (table,) = read_hall(write(tmp_path, GOOD + second)).tables
    assert table.second_camera.source == "usb:1"
    assert table.table_files == (tmp_path / "one.toml", tmp_path / "rear.toml")


def test_a_second_camera_needs_its_table_file_and_a_real_first_one(tmp_path):
    with pytest.raises(ConfigError, match=r"tables\[0\].second_camera.table_file: is missing"):
        read_hall(write(tmp_path, GOOD + '\n[tables.second_camera]\nsource = "usb:1"\n'))
    virtual = '[[tables]]\nid = "v"\nname = "V"\nsource = "virtual:kaisa"\n'
    with pytest.raises(ConfigError, match="second_camera is for tables with a real first one"):
        read_hall(write(tmp_path, f'{virtual}second_camera = {{source = "usb:1", table_file = "b.toml"}}\n'))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("port = 8181", "prot = 8181", "server.prot: no such key"),
        ("port = 8181", "port = 99999", "server.port:"),
        ('language = "fi"', 'language = "sv"', "server.language:"),
        ('id = "one"', 'id = "Table One"', "tables[0].id:"),
        ('name = "Table 1"', "", "tables[0].name: is missing"),
        ('game = "kaisa"', 'game = "snooker"', "tables[0].default.game:"),
        ('table_file = "one.toml"', "", "tables[0]: table_file is missing"),
        ("[[tables]]", "[[tables", "is no TOML"),
    ],
)
def test_a_wrong_key_is_named_in_one_line(tmp_path, old, new, complaint):
    with pytest.raises(ConfigError) as caught:
        read_hall(write(tmp_path, GOOD.replace(old, new)))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_tables_may_not_share_an_id(tmp_path):
    table = GOOD[GOOD.index("[[tables]]") :]
    with pytest.raises(ConfigError, match="tables: id one is used twice"):
        read_hall(write(tmp_path, GOOD + table))


def test_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match="--config"):
        read_hall(tmp_path / "none.toml")


def test_a_virtual_table_needs_no_table_file(tmp_path):
    hall = read_hall(write(tmp_path, '[[tables]]\nid = "v"\nname = "V"\nsource = "virtual:kaisa"\n'))
    assert hall.tables[0].is_virtual


def test_servers_that_share_a_hall_share_its_journal():
    with pytest.raises(ValidationError, match=r"peer: several servers need one journal"):
        ServerConfig(peer="10.0.0.2:8080")
    assert ServerConfig(peer="[fd00::1]:8080", database="postgresql://db.lan/hall").peer == "[fd00::1]:8080"
    with pytest.raises(ValidationError, match="peer"):
        ServerConfig(peer="http://10.0.0.2:8080", database="postgresql://db.lan/hall")
