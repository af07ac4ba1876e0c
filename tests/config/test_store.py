from pathlib import Path
from typing import Any

import pytest

from monitor.config.load import from_mapping
from monitor.config.store import StoreConfig
from monitor.config.tree import Config
from monitor.errors import ConfigError

PASSWORD = "pa%ss/w@rd"
URL = "postgresql://bob:pa%25ss%2Fw%40rd@db.internal:5433/lake?sslmode=require"


def store(folder: Path, **section: Any) -> StoreConfig:
    return whole(folder, **section).store


def whole(folder: Path, **section: Any) -> Config:
    return from_mapping({"store": section}, env={"URL": URL}, folder=folder, where="driftd.yaml")


def test_a_lake_has_an_address_and_a_folder_of_data(tmp_path: Path) -> None:
    section = store(tmp_path, url="${URL}", data="lake")
    address = section.address
    assert address is not None
    assert (address.host, address.port, address.database, address.user) == ("db.internal", "5433", "lake", "bob")
    assert (address.password, dict(address.options)) == (PASSWORD, {"sslmode": "require"})
    assert section.data == str(tmp_path / "lake")
    assert section.folder == tmp_path / "data"
    assert store(tmp_path, url=URL, data="lake", work_folder="work").folder == tmp_path / "work"


def test_the_password_of_a_lake_is_shown_nowhere(tmp_path: Path) -> None:
    section = store(tmp_path, url=URL, data="lake")
    assert section.name == "postgresql://bob@db.internal:5433/lake?sslmode=require"
    for text in (repr(section), section.model_dump_json(), repr(section.address), str(whole(tmp_path, path="x"))):
        assert "ss/w" not in text
        assert "%2Fw" not in text


def test_the_url_may_be_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "url").write_text(f"{URL}\n")
    assert store(tmp_path, url_file="url", data="lake").address == store(tmp_path, url=URL, data="lake").address


def test_a_file_has_the_folder_and_the_name_of_its_path(tmp_path: Path) -> None:
    section = store(tmp_path, path="x/driftd.duckdb")
    assert (section.address, section.folder, section.name) == (None, tmp_path / "x", str(tmp_path / "x/driftd.duckdb"))


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"url": URL, "data": "d", "path": "x"}, "store.path: give path for one file, or url for a lake, not both"),
        ({"url": URL}, "store.data: a lake needs the folder of its Parquet files"),
        ({"data": "d"}, "store.data: it is for a lake; give url or url_file too"),
        ({"work_folder": "d"}, "store.work_folder: it is for a lake; give url or url_file too"),
        ({"url": URL, "data": "d", "disk_reserve_mb": 5}, "store.disk_reserve_mb: it is for a store of one file"),
        ({"url": URL, "data": "d", "disk_reserve_share": 0.1}, "store.disk_reserve_share: it is for a store of"),
        ({"url": URL, "data": "d", "backup_folder": "b"}, "store.backup_folder: it is for a store of one file"),
        ({"url": "mysql://bob:secret@h/d", "data": "d"}, "store.url: it is not a URL such as postgresql://USER@HOST/"),
        ({"url": "postgresql://bob:secret@h", "data": "d"}, "store.url: it is not a URL such as postgresql://USER@"),
        ({"url": "postgresql://bob:secret@h:x/d", "data": "d"}, "store.url: its port is not a number"),
        ({"url": URL, "data": "ftp://x/d"}, "store.data: ftp:// is not supported"),
    ],
)
def test_a_store_that_is_neither_a_file_nor_a_lake_is_refused(
    tmp_path: Path, section: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        store(tmp_path, **section)
    assert message in str(raised.value)
    assert "secret" not in str(raised.value)
