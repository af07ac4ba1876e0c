"""Backups over the API."""

import hashlib
from pathlib import Path
from typing import Any

from monitor.api.auth import Role
from monitor.store.backup import manifest as manifests
from monitor.store.backup.destination import destination_of
from monitor.store.backup.layout import open_backup
from monitor.store.backup.restore import restore
from monitor.store.backup.transfer import transfer
from monitor.store.engine.database import Store
from tests.api.house import NOW, House, StillClock, import_cases, open_house, token_of, tokens_for_roles
from tests.api.records import CASES, interaction
from tests.api.rows import furnish
from tests.api.test_roles import IDS, QUERIES

ADMIN = token_of(Role.ADMIN)
OF_THE_PROCESS = {"/metrics", "/api/v1/status", "/readyz", "/api/v1/whoami"}  # the file, its size, loops, metrics
IN_OTHER_FILES = {"/api/v1/reports/{id}/page"}
OF_A_BACKUP = {f"/api/v1/backups/{{id}}{rest}" for rest in ("", "/chunk")}


def taken(house: House, folder: Path, token: str | None = None) -> Path:
    """Take a backup through the API, as a client with `token`."""
    ordered = house.post("/api/v1/backups", {}, token=token)
    assert (ordered.status_code, ordered.json()["state"]) == (202, "copying")
    backup = f"/api/v1/backups/{ordered.json()['id']}"
    house.backups.run_ordered()
    ready = house.get(backup, token=token).json()
    assert (ready["state"], ready["error"]) == ("ready", None)
    manifest = manifests.parse(house.get(backup, token=token).text.split('"manifest":', 1)[1][:-1], backup)
    place = destination_of(folder)
    transfer(
        manifest,
        place.begin(manifest),
        lambda chunk: house.get(f"{backup}/chunk", token=token, number=chunk.number).content,
        lambda _: None,
    )
    place.finish(manifest)
    assert house.post(f"{backup}/discard", {}, token=token).status_code == 200
    assert house.get(backup, token=token).status_code == 404
    return folder


def answers(house: House) -> dict[str, tuple[int, object]]:
    """Return the answer of each read route, without those that describe the process."""
    found: dict[str, tuple[int, object]] = {}
    for path, operations in house.app.openapi()["paths"].items():
        if "get" not in operations or path in OF_THE_PROCESS | OF_A_BACKUP | IN_OTHER_FILES:
            continue
        url = path.replace("{id}", IDS.get(path, "")).replace("{name}", IDS.get(path, ""))
        role = Role.INGEST if path == "/api/v1/files" else Role.ADMIN
        token = token_of(Role.READ, Role.REVEAL) if path == "/api/v1/sets/export" else token_of(role)
        query: dict[str, Any] = dict(QUERIES.get(path, {}))  # type: ignore[call-overload]
        response = house.get(url, token=token, **query)
        found[path] = (response.status_code, response.text)
    return found


def test_every_answer_of_the_restored_database_is_that_of_the_moment(tmp_path: Path) -> None:
    (tmp_path / "original").mkdir()
    with open_house(tmp_path / "original", tokens=tokens_for_roles()) as house:
        furnish(house, token_of(Role.OPERATE))
        for _ in range(2):  # the first exports are in the audit log and the access log afterwards
            answers(house)
        manifest, layout = open_backup(taken(house, tmp_path / "backup", ADMIN))
        before = answers(house)
    restored = restore(manifest, layout, tmp_path / "restored", lambda _: None)
    with open_house(restored.parent, tokens=tokens_for_roles()) as house:
        after = answers(house)
    changing = {"/api/v1/audit", "/api/v1/audit/verification", "/api/v1/sets/access", "/api/v1/sets/exposure"}
    changing |= {"/api/v1/database/verification"}
    changing |= {"/api/v1/tokens/configured"}  # a last use is shown at once, and stored once a minute
    assert len(before) > 60
    assert {path: after[path] for path in after.keys() - changing} == {p: before[p] for p in before.keys() - changing}
    assert [path for path, (status, _) in before.items() if status >= 500] == []


def test_a_backup_has_the_sealed_cases_encrypted_and_neither_keys_nor_tokens(tmp_path: Path) -> None:
    (tmp_path / "original").mkdir()
    with open_house(tmp_path / "original", tokens=tokens_for_roles()) as house:
        import_cases(house, "private", token_of(Role.OPERATE))
        new = house.post("/api/v1/tokens", {"name": "ci", "roles": ["ingest"]}, token=ADMIN).json()["token"]
        folder = taken(house, tmp_path / "backup", ADMIN)
    manifest, layout = open_backup(folder)
    store = Store.open(restore(manifest, layout, tmp_path / "restored", lambda _: None), clock=StillClock())
    try:
        with store._cursors.lend() as cursor:
            values = [
                str(value)
                for table in store.table_names()
                for row in cursor.sql(f'SELECT * FROM "{table}"').to_arrow_table().to_pylist()
                for value in row.values()
            ]
    finally:
        store.close()
    content = "\n".join(values) + "".join(file.read_bytes().decode("latin-1") for file in folder.iterdir())
    assert hashlib.sha256(new.encode()).hexdigest() in content
    for secret in (new, str(CASES[0]["input"]), bytes(range(32)).hex(), bytes(range(32)).decode("latin-1")):
        assert secret not in content


def test_a_backup_is_an_entry_of_kind_export_and_its_chunks_are_reads(tmp_path: Path) -> None:
    with open_house(tmp_path, tokens=tokens_for_roles()) as house:
        taken(house, tmp_path / "backup", ADMIN)
        [entry] = house.get("/api/v1/audit", token=ADMIN, kind="export").json()["items"]
        assert (entry["operation"], entry["principal"]) == ("POST /api/v1/backups", f"name of {ADMIN}")
        assert entry["object_id"].startswith("backup-")


def test_a_limited_token_cannot_take_a_backup(tmp_path: Path) -> None:
    with open_house(tmp_path, tokens=tokens_for_roles()) as house:
        new = {"name": "shop", "roles": ["read", "operate"], "deployments": ["bot"]}
        limited = house.post("/api/v1/tokens", new, token=ADMIN).json()["token"]
        assert house.post("/api/v1/backups", {}, token=limited).status_code == 403
        assert house.get("/api/v1/database/verification", token=limited, table="interaction").status_code == 403


def test_a_second_backup_waits_and_a_chunk_outside_is_unknown(house: House) -> None:
    house.post("/api/v1/interactions", interaction())
    first = house.post("/api/v1/backups", {}).json()
    assert (first["who"], first["ordered_at"]) == ("local", NOW.isoformat().replace("+00:00", "Z"))
    assert house.post("/api/v1/backups", {}).json()["id"] == first["id"]
    assert house.get(f"/api/v1/backups/{first['id']}/chunk", number=0).status_code == 404
    assert house.post(f"/api/v1/backups/{first['id']}/discard", {}).status_code == 409
    house.backups.run_ordered()
    chunks = sum(
        len(file["chunks"]) for file in house.get(f"/api/v1/backups/{first['id']}").json()["manifest"]["files"]
    )
    assert house.get(f"/api/v1/backups/{first['id']}/chunk", number=chunks - 1).status_code == 200
    assert house.get(f"/api/v1/backups/{first['id']}/chunk", number=chunks).status_code == 404
    assert house.get("/api/v1/database/verification", table="nothing").status_code == 404
