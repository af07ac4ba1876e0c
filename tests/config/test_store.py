from pathlib import Path
from typing import Any

import pytest

from monitor.config.load import from_mapping
from monitor.config.store import StoreConfig
from monitor.config.tree import Config
from monitor.domain.object_store import ObjectData, ObjectKeys
from monitor.errors import ConfigError

PASSWORD = "pa%ss/w@rd"
URL = "postgresql://bob:pa%25ss%2Fw%40rd@db.internal:5433/lake?sslmode=require"


SECRET_KEY = "secret/of+the/key"


def bucket(**access: str) -> dict[str, Any]:
    return {"url": URL, "data": "s3://bucket/lake", "object_store": access}


def store(folder: Path, **section: Any) -> StoreConfig:
    return whole(folder, **section).store


def whole(folder: Path, **section: Any) -> Config:
    return from_mapping(
        {"store": section}, env={"URL": URL, "ID": "key-1", "TOKEN": "token-1"}, folder=folder, where="driftd.yaml"
    )


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


def test_a_lake_has_its_data_in_a_bucket(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{SECRET_KEY}\n")
    section = store(
        tmp_path,
        url=URL,
        data="s3://driftd/lake/",
        object_store={
            "endpoint": "https://minio.internal:9000/",
            "region": "eu-central-1",
            "access_key_id": "${ID}",
            "secret_access_key_file": "key",
            "session_token": "${TOKEN}",
        },
    )
    data = section.files
    assert isinstance(data, ObjectData)
    assert (section.data, str(data), data.bucket, data.prefix) == (*["s3://driftd/lake"] * 2, "driftd", "lake")
    assert (data.address, data.region, data.url_style) == ("https://minio.internal:9000", "eu-central-1", "path")
    assert data.keys == ObjectKeys(id="key-1", secret=SECRET_KEY, token="token-1")
    for text in (repr(section), section.model_dump_json(), repr(data), str(data)):
        assert SECRET_KEY not in text
        assert "token-1" not in text


def test_a_bucket_of_amazon_s3_needs_no_settings(tmp_path: Path) -> None:
    data = store(tmp_path, url=URL, data="s3://driftd").files
    assert data == ObjectData.of("s3://driftd")
    assert isinstance(data, ObjectData)
    assert (data.address, data.url_style, data.keys) == ("https://s3.us-east-1.amazonaws.com", "vhost", None)


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
        ({"url": "mysql://bob:s3cr3t@h/d", "data": "d"}, "store.url: it is not a URL such as postgresql://USER@HOST/"),
        ({"url": "postgresql://bob:s3cr3t@h", "data": "d"}, "store.url: it is not a URL such as postgresql://USER@"),
        ({"url": "postgresql://bob:s3cr3t@h:x/d", "data": "d"}, "store.url: its port is not a number"),
        ({"url": URL, "data": "ftp://x/d"}, "store.data: ftp:// is not supported"),
        ({"url": URL, "data": "s3://b"}, "store.data: it is not s3://BUCKET/PREFIX"),
        ({"url": URL, "data": "s3://bucket/a*"}, "store.data: it is not s3://BUCKET/PREFIX"),
        ({"url": URL, "data": "s3://bucket/a/../b"}, "store.data: it is not s3://BUCKET/PREFIX"),
        ({"url": URL, "data": "d", "object_store": {}}, "store.object_store: it is for a lake whose data is s3://"),
        ({"object_store": {"region": "x"}}, "store.object_store: it is for a lake whose data is s3://"),
        (bucket(access_key_id="a"), "access_key_id and secret_access_key belong together"),
        (bucket(secret_access_key="s3cr3t"), "access_key_id and secret_access_key belong together"),
        (bucket(session_token="s3cr3t"), "store.object_store.session_token: it belongs to access_key_id"),
        (bucket(endpoint="minio:9000"), "store.object_store.endpoint"),
        (bucket(ca_file="none.pem"), "none.pem does not exist"),
    ],
)
def test_a_store_that_is_neither_a_file_nor_a_lake_is_refused(
    tmp_path: Path, section: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        store(tmp_path, **section)
    assert message in str(raised.value)
    assert "s3cr3t" not in str(raised.value)
